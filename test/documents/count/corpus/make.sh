#!/bin/sh
# Makes the documents of the corpus from its texts, once: they are kept. Needs LibreOffice (Writer) and qpdf, and fonts for
# all scripts; on Debian: apt-get install libreoffice-writer-nogui qpdf fonts-noto-core fonts-noto-cjk
set -eu
cd "$(dirname "$0")"
office=$(mktemp -d)
trap 'rm -rf "$office"' EXIT

# make FORMAT FILTER FOLDER INPUTS...
make() {
  format=$1 filter=$2 folder=$3
  shift 3
  mkdir -p "$folder"
  soffice -env:UserInstallation="file://$office" --headless --convert-to "$filter" --outdir "$folder" "$@"
}

text='Text (encoded):UTF8'
make docx 'docx:Office Open XML Text' docx --infilter="$text" texts/*.txt
make doc 'doc:MS Word 97' doc --infilter="$text" texts/*.txt
make pdf 'pdf' pdf --infilter="$text" texts/en.txt texts/pt.txt texts/de.txt texts/ru.txt texts/ja.txt texts/zh-CN.txt texts/zh-TW.txt texts/ko.txt texts/he.txt

# Footnotes, endnotes, a table, a text box, fields, tracked changes, a header and a footer.
make docx 'docx:Office Open XML Text' docx features.fodt
make doc 'doc:MS Word 97' doc features.fodt
make pdf pdf pdf features.fodt

for kind in 40 128 256; do
  qpdf --allow-weak-crypto --encrypt user owner "$kind" -- pdf/en.pdf "pdf/encrypted-$kind.pdf"
done
qpdf --allow-weak-crypto --encrypt user owner 128 --use-aes=y -- pdf/en.pdf pdf/encrypted-128-aes.pdf
qpdf --encrypt '' owner 256 --extract=n -- pdf/en.pdf pdf/owner.pdf
qpdf --linearize pdf/en.pdf pdf/linearized.pdf
