# Completion of botctl for bash, generated from its commands. In ~/.bashrc: eval "$(botctl completion bash)"

# Sets verbs and flags: the commands and options that may follow the command $1.
__botctl_place() {
  verbs='' flags=''
  case $1 in
    '') verbs='login logout whoami profiles token doctor completion keys teams tenants bots docs api device send campaigns optouts sandbox tour help' flags='' ;;
    'login') verbs='' flags='--key-id --key-secret-stdin --key-secret-file' ;;
    'logout') verbs='' flags='' ;;
    'whoami') verbs='' flags='' ;;
    'profiles') verbs='list ls show get use set rename remove rm' flags='' ;;
    'token') verbs='' flags='--force' ;;
    'doctor') verbs='' flags='--bundle --learn --save --report --max-requests --resume' ;;
    'completion') verbs='' flags='' ;;
    'keys') verbs='create list ls get show rotate delete rm' flags='' ;;
    'teams') verbs='create list ls get show overview update' flags='' ;;
    'tenants') verbs='init validate schema plan apply export show import forget rebind' flags='' ;;
    'bots') verbs='questions actions documents create list ls get show update edit diff delete rm' flags='' ;;
    'bots questions') verbs='add list ls remove rm' flags='' ;;
    'bots actions') verbs='add list ls remove rm' flags='' ;;
    'bots documents') verbs='add list ls remove rm' flags='' ;;
    'docs') verbs='upload sync count list ls get show rename' flags='' ;;
    'api') verbs='POST GET DELETE PATCH' flags='--query --set --set-string --set-file --body --file --paginate --include --dry-run' ;;
    'device') verbs='create connect pair status show history repair disconnect list ls add forget export import' flags='' ;;
    'send') verbs='' flags='--device --to --message --message-file --send-as-audio --no-send-as-audio --ai-generates-message --image-url --image-mime-type' ;;
    'campaigns') verbs='create list ls get show add test run results settle pause cancel delete rm remove migrate' flags='' ;;
    'optouts') verbs='add remove rm delete list ls import' flags='' ;;
    'sandbox') verbs='phone key clock fault start run status stop reset seed publish behave log messages openapi migrate' flags='' ;;
    'sandbox phone') verbs='scan unlink offline online takeover block unblock' flags='' ;;
    'sandbox key') verbs='create deactivate' flags='' ;;
    'sandbox clock') verbs='advance set freeze resume' flags='' ;;
    'sandbox fault') verbs='add list ls clear' flags='' ;;
    'tour') verbs='' flags='--keep' ;;
    'profiles list' | 'profiles ls') verbs='' flags='--limit --sort --where' ;;
    'profiles show' | 'profiles get') verbs='' flags='' ;;
    'profiles use') verbs='' flags='' ;;
    'profiles set') verbs='' flags='--protect --no-protect --page-size --first-page --query-name --qr --database --unset' ;;
    'profiles rename') verbs='' flags='' ;;
    'profiles remove' | 'profiles rm') verbs='' flags='' ;;
    'keys create') verbs='' flags='--name --expires --secret-file --show-secret' ;;
    'keys list' | 'keys ls') verbs='' flags='--limit --sort --where' ;;
    'keys get' | 'keys show') verbs='' flags='' ;;
    'keys rotate') verbs='' flags='--name --expires --secret-file --show-secret --keep-old --finish --then' ;;
    'keys delete' | 'keys rm') verbs='' flags='--confirm' ;;
    'teams create') verbs='' flags='--name --plan --admin-name --admin-email --admin-phone --quota --if-absent' ;;
    'teams list' | 'teams ls') verbs='' flags='--name --paying --no-paying --page --per-page --limit --all --sort --where' ;;
    'teams get' | 'teams show') verbs='' flags='' ;;
    'teams overview') verbs='' flags='' ;;
    'teams update') verbs='' flags='--name --plan --paying --no-paying --ban --unban --quota' ;;
    'tenants init') verbs='' flags='' ;;
    'tenants validate') verbs='' flags='--var --vars --each' ;;
    'tenants schema') verbs='' flags='' ;;
    'tenants plan') verbs='' flags='--var --vars --each --lock --target --prune --check --check-drift --out --max-bytes' ;;
    'tenants apply') verbs='' flags='--var --vars --each --lock --target --prune --plan --secrets-file --discard-tokens --assume-current --concurrency --lock-timeout --settle' ;;
    'tenants export') verbs='' flags='--all --out --lock' ;;
    'tenants show') verbs='' flags='--lock' ;;
    'tenants import') verbs='' flags='--lock' ;;
    'tenants forget') verbs='' flags='--lock' ;;
    'tenants rebind') verbs='' flags='--lock' ;;
    'bots create') verbs='' flags='--team --name --file --instructions --instructions-file --role --description --temperature --identification-name --document --question --action --action-file --allow-human --no-allow-human --use-audio-responses --no-use-audio-responses --allow-user-audio-requests --no-allow-user-audio-requests --capture-payments --no-capture-payments --break-lines --no-break-lines --if-absent' ;;
    'bots list' | 'bots ls') verbs='' flags='--team --name --page --per-page --limit --all --sort --where' ;;
    'bots get' | 'bots show') verbs='' flags='--team --editable' ;;
    'bots update') verbs='' flags='--team --name --file --instructions --instructions-file --role --description --temperature --identification-name --document --question --action --action-file --allow-human --no-allow-human --use-audio-responses --no-use-audio-responses --allow-user-audio-requests --no-allow-user-audio-requests --capture-payments --no-capture-payments --break-lines --no-break-lines' ;;
    'bots edit') verbs='' flags='--team' ;;
    'bots diff') verbs='' flags='--file --team' ;;
    'bots delete' | 'bots rm') verbs='' flags='--team --confirm' ;;
    'bots questions add') verbs='' flags='--question --answer --replace --team' ;;
    'bots questions list' | 'bots questions ls') verbs='' flags='--team' ;;
    'bots questions remove' | 'bots questions rm') verbs='' flags='--team' ;;
    'bots actions add') verbs='' flags='--action --action-file --replace --team' ;;
    'bots actions list' | 'bots actions ls') verbs='' flags='--team' ;;
    'bots actions remove' | 'bots actions rm') verbs='' flags='--team' ;;
    'bots documents add') verbs='' flags='--team' ;;
    'bots documents list' | 'bots documents ls') verbs='' flags='--team' ;;
    'bots documents remove' | 'bots documents rm') verbs='' flags='--team' ;;
    'docs upload') verbs='' flags='--team --name --chars --name-by --include --exclude --as-text --count-mode --fail-empty-pages --password-stdin --concurrency --settle --retry-unknown --if-absent --max-new --dry-run' ;;
    'docs sync') verbs='' flags='--team --check --attach --detach-removed --ledger --include --exclude --as-text --count-mode --fail-empty-pages --password-stdin --max-new --name-by --checksum --retry-refused --retire --no-retire --retire-as --concurrency --settle --retry-unknown' ;;
    'docs count') verbs='' flags='--include --exclude --as-text --count-mode --fail-empty-pages --password-stdin --pages' ;;
    'docs list' | 'docs ls') verbs='' flags='--team --name --type --page --per-page --limit --all --sort --where' ;;
    'docs get' | 'docs show') verbs='' flags='--team' ;;
    'docs rename') verbs='' flags='--team' ;;
    'device create') verbs='' flags='--team --bot --name --secret-file --show-token --discard-token --if-absent' ;;
    'device connect' | 'device pair') verbs='' flags='--wait --no-wait --timeout --rounds --repair --expect --bell --qr --no-qr --qr-invert --qr-file --qr-web --reveal-qr' ;;
    'device status' | 'device show') verbs='' flags='--all --watch --until --timeout --expect --bell --qr --no-qr --qr-invert --qr-file --qr-web --reveal-qr' ;;
    'device history') verbs='' flags='--limit --sort --where' ;;
    'device repair') verbs='' flags='--force --wait --no-wait --timeout --expect --bell --qr --no-qr --qr-invert --qr-file --qr-web --reveal-qr' ;;
    'device disconnect') verbs='' flags='' ;;
    'device list' | 'device ls') verbs='' flags='--limit --sort --where' ;;
    'device add') verbs='' flags='--name --team --bot --offline' ;;
    'device forget') verbs='' flags='--gone' ;;
    'device export') verbs='' flags='' ;;
    'device import') verbs='' flags='' ;;
    'campaigns create') verbs='' flags='--recipients --to-column --skip-invalid --limit --dry-run --key-column --device --message --message-file --send-as-audio --no-send-as-audio --ai-generates-message --image-url --image-mime-type --gap --daily --warm-up --window --tz --database' ;;
    'campaigns list' | 'campaigns ls') verbs='' flags='--limit --sort --where --database' ;;
    'campaigns get' | 'campaigns show') verbs='' flags='--database' ;;
    'campaigns add') verbs='' flags='--recipients --to-column --skip-invalid --limit --dry-run --database' ;;
    'campaigns test') verbs='' flags='--to --row --device --database' ;;
    'campaigns run') verbs='' flags='--wait --retry --retry-unknown --resume --accept-number --accept-failover --database' ;;
    'campaigns results') verbs='' flags='--state --database' ;;
    'campaigns settle') verbs='' flags='--accepted --not-sent --database' ;;
    'campaigns pause') verbs='' flags='--database' ;;
    'campaigns cancel') verbs='' flags='--database' ;;
    'campaigns delete' | 'campaigns rm' | 'campaigns remove') verbs='' flags='--database --confirm' ;;
    'campaigns migrate') verbs='' flags='--database' ;;
    'optouts add') verbs='' flags='--note --database' ;;
    'optouts remove' | 'optouts rm' | 'optouts delete') verbs='' flags='--database' ;;
    'optouts list' | 'optouts ls') verbs='' flags='--limit --sort --where --database' ;;
    'optouts import') verbs='' flags='--local --to-column --note --skip-invalid --database' ;;
    'sandbox start') verbs='' flags='--port --data --database --files --detach --host --log-size --log --metrics --phone --qr-delay --blink --shared-emails --rate-limit --latency --qr-style --behind-proxy --drain-delay' ;;
    'sandbox run') verbs='' flags='--port --database --files --host --log-size --log --metrics --phone --qr-delay --blink --shared-emails --rate-limit --latency --qr-style' ;;
    'sandbox status') verbs='' flags='--data --all' ;;
    'sandbox stop') verbs='' flags='--data' ;;
    'sandbox reset') verbs='' flags='--data' ;;
    'sandbox seed') verbs='' flags='--teams --bots --docs --seed --data' ;;
    'sandbox publish') verbs='' flags='--data' ;;
    'sandbox phone scan') verbs='' flags='--text --number --stall --data' ;;
    'sandbox phone unlink') verbs='' flags='--data' ;;
    'sandbox phone offline') verbs='' flags='--data' ;;
    'sandbox phone online') verbs='' flags='--data' ;;
    'sandbox phone takeover') verbs='' flags='--data' ;;
    'sandbox phone block') verbs='' flags='--data' ;;
    'sandbox phone unblock') verbs='' flags='--data' ;;
    'sandbox key create') verbs='' flags='--name --expires --secret-file --show-secret --data --database' ;;
    'sandbox key deactivate') verbs='' flags='--data' ;;
    'sandbox clock advance') verbs='' flags='--data' ;;
    'sandbox clock set') verbs='' flags='--data' ;;
    'sandbox clock freeze') verbs='' flags='--data' ;;
    'sandbox clock resume') verbs='' flags='--data' ;;
    'sandbox fault add') verbs='' flags='--status --code --retry-after --delay --reset --truncate --body --type --after --times --rate --seed --data' ;;
    'sandbox fault list' | 'sandbox fault ls') verbs='' flags='--data' ;;
    'sandbox fault clear') verbs='' flags='--data' ;;
    'sandbox behave') verbs='' flags='--ignore-filters --ignore-paging --rename --extra-members --unauthorized-status --shared-emails --no-shared-emails --size-unit --rename-query --ignore-unknown --max-limit --first-page --order --case-sensitive --reset --data' ;;
    'sandbox log') verbs='' flags='--follow --since --limit --data' ;;
    'sandbox messages') verbs='' flags='--device --to --follow --since --limit --data' ;;
    'sandbox openapi') verbs='' flags='' ;;
    'sandbox migrate') verbs='' flags='--database' ;;
    'help profiles') verbs='list ls show get use set rename remove rm' flags='' ;;
    'help keys') verbs='create list ls get show rotate delete rm' flags='' ;;
    'help teams') verbs='create list ls get show overview update' flags='' ;;
    'help tenants') verbs='init validate schema plan apply export show import forget rebind' flags='' ;;
    'help bots') verbs='questions actions documents create list ls get show update edit diff delete rm' flags='' ;;
    'help bots questions') verbs='add list ls remove rm' flags='' ;;
    'help bots actions') verbs='add list ls remove rm' flags='' ;;
    'help bots documents') verbs='add list ls remove rm' flags='' ;;
    'help docs') verbs='upload sync count list ls get show rename' flags='' ;;
    'help device') verbs='create connect pair status show history repair disconnect list ls add forget export import' flags='' ;;
    'help campaigns') verbs='create list ls get show add test run results settle pause cancel delete rm remove migrate' flags='' ;;
    'help optouts') verbs='add remove rm delete list ls import' flags='' ;;
    'help sandbox') verbs='phone key clock fault start run status stop reset seed publish behave log messages openapi migrate' flags='' ;;
    'help sandbox phone') verbs='scan unlink offline online takeover block unblock' flags='' ;;
    'help sandbox key') verbs='create deactivate' flags='' ;;
    'help sandbox clock') verbs='advance set freeze resume' flags='' ;;
    'help sandbox fault') verbs='add list ls clear' flags='' ;;
    'help') verbs='login logout whoami profiles token doctor completion keys teams tenants bots docs api device send campaigns optouts sandbox tour options output exit-codes environment files install names numbers counting uploading syncing recipients sending changes tenant-files tenants-ci scripts pairing secrets rehearsing operating specification identity' flags='' ;;
    'api POST') verbs='' flags='--query --set --set-string --set-file --body --file --paginate --include --dry-run' ;;
    'api GET') verbs='' flags='--query --set --set-string --set-file --body --file --paginate --include --dry-run' ;;
    'api DELETE') verbs='' flags='--query --set --set-string --set-file --body --file --paginate --include --dry-run' ;;
    'api PATCH') verbs='' flags='--query --set --set-string --set-file --body --file --paginate --include --dry-run' ;;
  esac
  flags="$flags --profile --base-url --output --fields --header --no-input --yes --allow --confirm-profile --no-color --request-timeout --retries --max-rps --ca-file --region --insecure-http --error-format --debug --help"
}

# Sets takes: what stands at $2, an option or the number of an argument, of the command $1.
__botctl_takes() {
  takes=''
  case "$1|$2" in
    'login|--key-id') takes='text' ;;
    'login|--key-secret-stdin') takes='flag' ;;
    'login|--key-secret-file') takes='file' ;;
    'login|--key-secret') takes='text' ;;
    'login|--fields') takes='list profile base_url key_id key_name file' ;;
    'whoami|--fields') takes='list profile source base_url origin key_id key_name key_expires_at token_age token_expires_at' ;;
    'token|--force') takes='flag' ;;
    'doctor|--bundle') takes='file' ;;
    'doctor|--learn') takes='flag' ;;
    'doctor|--save') takes='flag' ;;
    'doctor|--report') takes='file' ;;
    'doctor|--max-requests') takes='text' ;;
    'doctor|--resume') takes='flag' ;;
    'doctor|--fields') takes='list check verdict found remedy' ;;
    'completion|1') takes='words bash zsh fish powershell' ;;
    'api|--query') takes='text' ;;
    'api|--set') takes='text' ;;
    'api|--set-string') takes='text' ;;
    'api|--set-file') takes='text' ;;
    'api|--body') takes='file' ;;
    'api|--file') takes='file' ;;
    'api|--paginate') takes='flag' ;;
    'api|--include') takes='flag' ;;
    'api|--dry-run') takes='flag' ;;
    'api|1') takes='words GET POST PATCH DELETE PUT HEAD OPTIONS' ;;
    'api|2') takes='text' ;;
    'send|--device') takes='names device' ;;
    'send|--to') takes='text' ;;
    'send|--message') takes='text' ;;
    'send|--message-file') takes='file' ;;
    'send|--send-as-audio') takes='flag' ;;
    'send|--no-send-as-audio') takes='flag' ;;
    'send|--ai-generates-message') takes='flag' ;;
    'send|--image-url') takes='text' ;;
    'send|--image-mime-type') takes='text' ;;
    'send|--fields') takes='list device_id name destinationNumber sendAsAudio aiGeneratesMessage imageUrl imageMimeType' ;;
    'tour|--keep') takes='flag' ;;
    'profiles list|--limit' | 'profiles ls|--limit') takes='text' ;;
    'profiles list|--sort' | 'profiles ls|--sort') takes='order name current base_url key_id protected page_size ca_file region qr database query_names unsent first_page learned_at' ;;
    'profiles list|--where' | 'profiles ls|--where') takes='pair name current base_url key_id protected page_size ca_file region qr database query_names unsent first_page learned_at' ;;
    'profiles list|--fields' | 'profiles ls|--fields') takes='list name current base_url key_id protected page_size ca_file region qr database query_names unsent first_page learned_at' ;;
    'profiles show|--fields' | 'profiles get|--fields') takes='list name current base_url key_id protected page_size ca_file region qr database query_names unsent first_page learned_at' ;;
    'profiles show|1' | 'profiles get|1') takes='names profile' ;;
    'profiles use|1') takes='names profile' ;;
    'profiles set|--protect') takes='flag' ;;
    'profiles set|--no-protect') takes='flag' ;;
    'profiles set|--page-size') takes='text' ;;
    'profiles set|--first-page') takes='text' ;;
    'profiles set|--query-name') takes='pair page limit name paying team type' ;;
    'profiles set|--qr') takes='words auto half sextant spaces plain' ;;
    'profiles set|--database') takes='text' ;;
    'profiles set|--unset') takes='words query-names page-size first-page ca-file region qr database' ;;
    'profiles set|--fields') takes='list name current base_url key_id protected page_size ca_file region qr database query_names unsent first_page learned_at' ;;
    'profiles set|1') takes='names profile' ;;
    'profiles rename|1') takes='names profile' ;;
    'profiles rename|2') takes='text' ;;
    'profiles remove|--fields' | 'profiles rm|--fields') takes='list name base_url key_id removed' ;;
    'profiles remove|1' | 'profiles rm|1') takes='names profile' ;;
    'keys create|--name') takes='text' ;;
    'keys create|--expires') takes='text' ;;
    'keys create|--secret-file') takes='file' ;;
    'keys create|--show-secret') takes='flag' ;;
    'keys create|--fields') takes='list key_id name key_secret created_at' ;;
    'keys list|--limit' | 'keys ls|--limit') takes='text' ;;
    'keys list|--sort' | 'keys ls|--sort') takes='order key_id name scope is_active expires_at last_used created_at' ;;
    'keys list|--where' | 'keys ls|--where') takes='pair key_id name scope is_active expires_at last_used created_at' ;;
    'keys list|--fields' | 'keys ls|--fields') takes='list key_id name scope is_active expires_at last_used created_at' ;;
    'keys get|--fields' | 'keys show|--fields') takes='list key_id name scope is_active expires_at last_used created_at' ;;
    'keys get|1' | 'keys show|1') takes='names key' ;;
    'keys get|more' | 'keys show|more') takes='names key' ;;
    'keys rotate|--name') takes='text' ;;
    'keys rotate|--expires') takes='text' ;;
    'keys rotate|--secret-file') takes='file' ;;
    'keys rotate|--show-secret') takes='flag' ;;
    'keys rotate|--keep-old') takes='flag' ;;
    'keys rotate|--finish') takes='flag' ;;
    'keys rotate|--then') takes='text' ;;
    'keys rotate|--fields') takes='list key_id name key_secret expires_at replaced_key_id replaced_last_used replaced_deleted profiles secret_file' ;;
    'keys delete|--confirm' | 'keys rm|--confirm') takes='names key' ;;
    'keys delete|--fields' | 'keys rm|--fields') takes='list key_id name deleted' ;;
    'keys delete|1' | 'keys rm|1') takes='names key' ;;
    'keys delete|more' | 'keys rm|more') takes='names key' ;;
    'teams create|--name') takes='text' ;;
    'teams create|--plan') takes='text' ;;
    'teams create|--admin-name') takes='text' ;;
    'teams create|--admin-email') takes='text' ;;
    'teams create|--admin-phone') takes='text' ;;
    'teams create|--quota') takes='pair bots accounts characters documents members credits' ;;
    'teams create|--if-absent') takes='flag' ;;
    'teams create|--allow') takes='list duplicate' ;;
    'teams create|--fields') takes='list id name plan_name paying banned created_at updated_at user.id user.name user.email user.phone user.created_at' ;;
    'teams list|--name' | 'teams ls|--name') takes='text' ;;
    'teams list|--paying' | 'teams ls|--paying') takes='flag' ;;
    'teams list|--no-paying' | 'teams ls|--no-paying') takes='flag' ;;
    'teams list|--page' | 'teams ls|--page') takes='text' ;;
    'teams list|--per-page' | 'teams ls|--per-page') takes='text' ;;
    'teams list|--limit' | 'teams ls|--limit') takes='text' ;;
    'teams list|--all' | 'teams ls|--all') takes='flag' ;;
    'teams list|--sort' | 'teams ls|--sort') takes='order id name plan_name paying banned created_at updated_at' ;;
    'teams list|--where' | 'teams ls|--where') takes='pair id name plan_name paying banned created_at updated_at' ;;
    'teams list|--fields' | 'teams ls|--fields') takes='list id name plan_name paying banned created_at updated_at' ;;
    'teams get|--fields' | 'teams show|--fields') takes='list id name plan_name paying banned created_at updated_at quotas.bots quotas.accounts quotas.characters quotas.documents quotas.members quotas.credits settings' ;;
    'teams get|1' | 'teams show|1') takes='names team' ;;
    'teams get|more' | 'teams show|more') takes='names team' ;;
    'teams overview|--fields') takes='list id name plan_name paying banned created_at updated_at quotas used bots documents devices' ;;
    'teams overview|1') takes='names team' ;;
    'teams update|--name') takes='text' ;;
    'teams update|--plan') takes='text' ;;
    'teams update|--paying') takes='flag' ;;
    'teams update|--no-paying') takes='flag' ;;
    'teams update|--ban') takes='flag' ;;
    'teams update|--unban') takes='flag' ;;
    'teams update|--quota') takes='pair bots accounts characters documents members credits' ;;
    'teams update|--allow') takes='list duplicate' ;;
    'teams update|--fields') takes='list id name plan_name paying banned created_at updated_at quotas.bots quotas.accounts quotas.characters quotas.documents quotas.members quotas.credits settings changes' ;;
    'teams update|1') takes='names team' ;;
    'tenants init|--fields') takes='list file' ;;
    'tenants init|1') takes='file' ;;
    'tenants validate|--var') takes='text' ;;
    'tenants validate|--vars') takes='file' ;;
    'tenants validate|--each') takes='file' ;;
    'tenants validate|--fields') takes='list file line column field problem' ;;
    'tenants validate|1') takes='file' ;;
    'tenants validate|more') takes='file' ;;
    'tenants plan|--var') takes='text' ;;
    'tenants plan|--vars') takes='file' ;;
    'tenants plan|--each') takes='file' ;;
    'tenants plan|--lock') takes='file' ;;
    'tenants plan|--target') takes='text' ;;
    'tenants plan|--prune') takes='flag' ;;
    'tenants plan|--check') takes='flag' ;;
    'tenants plan|--check-drift') takes='flag' ;;
    'tenants plan|--out') takes='file' ;;
    'tenants plan|--max-bytes') takes='text' ;;
    'tenants plan|--allow') takes='list unpublish lower-quota ban adopt create-device recreate delete-bot' ;;
    'tenants plan|--fields') takes='list address kind action name id fields.field risks.risk fields risks impossible unverifiable unverified unknown_since' ;;
    'tenants plan|1') takes='file' ;;
    'tenants plan|more') takes='file' ;;
    'tenants apply|--var') takes='text' ;;
    'tenants apply|--vars') takes='file' ;;
    'tenants apply|--each') takes='file' ;;
    'tenants apply|--lock') takes='file' ;;
    'tenants apply|--target') takes='text' ;;
    'tenants apply|--prune') takes='flag' ;;
    'tenants apply|--plan') takes='file' ;;
    'tenants apply|--secrets-file') takes='file' ;;
    'tenants apply|--discard-tokens') takes='flag' ;;
    'tenants apply|--assume-current') takes='flag' ;;
    'tenants apply|--concurrency') takes='text' ;;
    'tenants apply|--lock-timeout') takes='text' ;;
    'tenants apply|--settle') takes='text' ;;
    'tenants apply|--allow') takes='list unpublish lower-quota ban adopt create-device recreate delete-bot' ;;
    'tenants apply|--fields') takes='list address kind action outcome error code name id' ;;
    'tenants apply|1') takes='file' ;;
    'tenants apply|more') takes='file' ;;
    'tenants export|--all') takes='flag' ;;
    'tenants export|--out') takes='file' ;;
    'tenants export|--lock') takes='file' ;;
    'tenants export|--fields') takes='list address name id file documents bots devices left_out' ;;
    'tenants export|1') takes='names team' ;;
    'tenants export|more') takes='names team' ;;
    'tenants show|--lock') takes='file' ;;
    'tenants show|--fields') takes='list address kind name id unknown_since' ;;
    'tenants import|--lock') takes='file' ;;
    'tenants import|--fields') takes='list address name id' ;;
    'tenants import|1') takes='text' ;;
    'tenants import|2') takes='text' ;;
    'tenants forget|--lock') takes='file' ;;
    'tenants forget|--fields') takes='list address id' ;;
    'tenants forget|1') takes='text' ;;
    'tenants rebind|--lock') takes='file' ;;
    'tenants rebind|--fields') takes='list lock before origin teams' ;;
    'bots create|--team') takes='names team' ;;
    'bots create|--name') takes='text' ;;
    'bots create|--file') takes='file' ;;
    'bots create|--instructions') takes='text' ;;
    'bots create|--instructions-file') takes='file' ;;
    'bots create|--role') takes='words support dynamic sales' ;;
    'bots create|--description') takes='text' ;;
    'bots create|--temperature') takes='text' ;;
    'bots create|--identification-name') takes='text' ;;
    'bots create|--document') takes='names document' ;;
    'bots create|--question') takes='text' ;;
    'bots create|--action') takes='text' ;;
    'bots create|--action-file') takes='file' ;;
    'bots create|--allow-human') takes='flag' ;;
    'bots create|--no-allow-human') takes='flag' ;;
    'bots create|--use-audio-responses') takes='flag' ;;
    'bots create|--no-use-audio-responses') takes='flag' ;;
    'bots create|--allow-user-audio-requests') takes='flag' ;;
    'bots create|--no-allow-user-audio-requests') takes='flag' ;;
    'bots create|--capture-payments') takes='flag' ;;
    'bots create|--no-capture-payments') takes='flag' ;;
    'bots create|--break-lines') takes='flag' ;;
    'bots create|--no-break-lines') takes='flag' ;;
    'bots create|--if-absent') takes='flag' ;;
    'bots create|--allow') takes='list duplicate' ;;
    'bots create|--fields') takes='list id name role published team_id updated_at description instructions temperature allow_human provider_id vector_id created_at' ;;
    'bots list|--team' | 'bots ls|--team') takes='names team' ;;
    'bots list|--name' | 'bots ls|--name') takes='text' ;;
    'bots list|--page' | 'bots ls|--page') takes='text' ;;
    'bots list|--per-page' | 'bots ls|--per-page') takes='text' ;;
    'bots list|--limit' | 'bots ls|--limit') takes='text' ;;
    'bots list|--all' | 'bots ls|--all') takes='flag' ;;
    'bots list|--sort' | 'bots ls|--sort') takes='order id name role published team_id updated_at description instructions temperature allow_human provider_id vector_id created_at' ;;
    'bots list|--where' | 'bots ls|--where') takes='pair id name role published team_id updated_at description instructions temperature allow_human provider_id vector_id created_at' ;;
    'bots list|--fields' | 'bots ls|--fields') takes='list id name role published team_id updated_at description instructions temperature allow_human provider_id vector_id created_at' ;;
    'bots get|--team' | 'bots show|--team') takes='names team' ;;
    'bots get|--editable' | 'bots show|--editable') takes='flag' ;;
    'bots get|--fields' | 'bots show|--fields') takes='list id name role published team_id updated_at description instructions temperature allow_human provider_id vector_id created_at identification_name use_audio_responses allow_user_audio_requests capture_payments break_lines questions actions documents' ;;
    'bots get|1' | 'bots show|1') takes='names bot' ;;
    'bots get|more' | 'bots show|more') takes='names bot' ;;
    'bots update|--team') takes='names team' ;;
    'bots update|--name') takes='text' ;;
    'bots update|--file') takes='file' ;;
    'bots update|--instructions') takes='text' ;;
    'bots update|--instructions-file') takes='file' ;;
    'bots update|--role') takes='words support dynamic sales' ;;
    'bots update|--description') takes='text' ;;
    'bots update|--temperature') takes='text' ;;
    'bots update|--identification-name') takes='text' ;;
    'bots update|--document') takes='names document' ;;
    'bots update|--question') takes='text' ;;
    'bots update|--action') takes='text' ;;
    'bots update|--action-file') takes='file' ;;
    'bots update|--allow-human') takes='flag' ;;
    'bots update|--no-allow-human') takes='flag' ;;
    'bots update|--use-audio-responses') takes='flag' ;;
    'bots update|--no-use-audio-responses') takes='flag' ;;
    'bots update|--allow-user-audio-requests') takes='flag' ;;
    'bots update|--no-allow-user-audio-requests') takes='flag' ;;
    'bots update|--capture-payments') takes='flag' ;;
    'bots update|--no-capture-payments') takes='flag' ;;
    'bots update|--break-lines') takes='flag' ;;
    'bots update|--no-break-lines') takes='flag' ;;
    'bots update|--allow') takes='list unpublish duplicate' ;;
    'bots update|--fields') takes='list id name role published team_id updated_at description instructions temperature allow_human provider_id vector_id created_at identification_name use_audio_responses allow_user_audio_requests capture_payments break_lines questions actions documents' ;;
    'bots update|1') takes='names bot' ;;
    'bots edit|--team') takes='names team' ;;
    'bots edit|--allow') takes='list unpublish duplicate' ;;
    'bots edit|--fields') takes='list id name role published team_id updated_at description instructions temperature allow_human provider_id vector_id created_at identification_name use_audio_responses allow_user_audio_requests capture_payments break_lines questions actions documents' ;;
    'bots edit|1') takes='names bot' ;;
    'bots diff|--file') takes='file' ;;
    'bots diff|--team') takes='names team' ;;
    'bots diff|--fields') takes='list field from to' ;;
    'bots diff|1') takes='names bot' ;;
    'bots delete|--team' | 'bots rm|--team') takes='names team' ;;
    'bots delete|--confirm' | 'bots rm|--confirm') takes='names bot' ;;
    'bots delete|--fields' | 'bots rm|--fields') takes='list id name deleted' ;;
    'bots delete|1' | 'bots rm|1') takes='names bot' ;;
    'bots delete|more' | 'bots rm|more') takes='names bot' ;;
    'bots questions add|--question') takes='text' ;;
    'bots questions add|--answer') takes='text' ;;
    'bots questions add|--replace') takes='flag' ;;
    'bots questions add|--team') takes='names team' ;;
    'bots questions add|--allow') takes='list unpublish' ;;
    'bots questions add|--fields') takes='list number question answer' ;;
    'bots questions add|1') takes='names bot' ;;
    'bots questions list|--team' | 'bots questions ls|--team') takes='names team' ;;
    'bots questions list|--fields' | 'bots questions ls|--fields') takes='list number question answer' ;;
    'bots questions list|1' | 'bots questions ls|1') takes='names bot' ;;
    'bots questions remove|--team' | 'bots questions rm|--team') takes='names team' ;;
    'bots questions remove|--allow' | 'bots questions rm|--allow') takes='list unpublish' ;;
    'bots questions remove|--fields' | 'bots questions rm|--fields') takes='list number question answer' ;;
    'bots questions remove|1' | 'bots questions rm|1') takes='names bot' ;;
    'bots questions remove|2' | 'bots questions rm|2') takes='text' ;;
    'bots questions remove|more' | 'bots questions rm|more') takes='text' ;;
    'bots actions add|--action') takes='text' ;;
    'bots actions add|--action-file') takes='file' ;;
    'bots actions add|--replace') takes='flag' ;;
    'bots actions add|--team') takes='names team' ;;
    'bots actions add|--allow') takes='list unpublish' ;;
    'bots actions add|--fields') takes='list number id name method endpoint description headers body' ;;
    'bots actions add|1') takes='names bot' ;;
    'bots actions list|--team' | 'bots actions ls|--team') takes='names team' ;;
    'bots actions list|--fields' | 'bots actions ls|--fields') takes='list number id name method endpoint description headers body' ;;
    'bots actions list|1' | 'bots actions ls|1') takes='names bot' ;;
    'bots actions remove|--team' | 'bots actions rm|--team') takes='names team' ;;
    'bots actions remove|--allow' | 'bots actions rm|--allow') takes='list unpublish' ;;
    'bots actions remove|--fields' | 'bots actions rm|--fields') takes='list number id name method endpoint description headers body' ;;
    'bots actions remove|1' | 'bots actions rm|1') takes='names bot' ;;
    'bots actions remove|2' | 'bots actions rm|2') takes='text' ;;
    'bots actions remove|more' | 'bots actions rm|more') takes='text' ;;
    'bots documents add|--team') takes='names team' ;;
    'bots documents add|--allow') takes='list unpublish' ;;
    'bots documents add|--fields') takes='list number id name type chars' ;;
    'bots documents add|1') takes='names bot' ;;
    'bots documents add|2') takes='names document' ;;
    'bots documents add|more') takes='names document' ;;
    'bots documents list|--team' | 'bots documents ls|--team') takes='names team' ;;
    'bots documents list|--fields' | 'bots documents ls|--fields') takes='list number id name type chars' ;;
    'bots documents list|1' | 'bots documents ls|1') takes='names bot' ;;
    'bots documents remove|--team' | 'bots documents rm|--team') takes='names team' ;;
    'bots documents remove|--allow' | 'bots documents rm|--allow') takes='list unpublish' ;;
    'bots documents remove|--fields' | 'bots documents rm|--fields') takes='list number id name type chars' ;;
    'bots documents remove|1' | 'bots documents rm|1') takes='names bot' ;;
    'bots documents remove|2' | 'bots documents rm|2') takes='names document' ;;
    'bots documents remove|more' | 'bots documents rm|more') takes='names document' ;;
    'docs upload|--team') takes='names team' ;;
    'docs upload|--name') takes='text' ;;
    'docs upload|--chars') takes='text' ;;
    'docs upload|--name-by') takes='words name path' ;;
    'docs upload|--include') takes='text' ;;
    'docs upload|--exclude') takes='text' ;;
    'docs upload|--as-text') takes='text' ;;
    'docs upload|--count-mode') takes='words collapsed raw' ;;
    'docs upload|--fail-empty-pages') takes='text' ;;
    'docs upload|--password-stdin') takes='flag' ;;
    'docs upload|--concurrency') takes='text' ;;
    'docs upload|--settle') takes='text' ;;
    'docs upload|--retry-unknown') takes='flag' ;;
    'docs upload|--if-absent') takes='flag' ;;
    'docs upload|--max-new') takes='text' ;;
    'docs upload|--dry-run') takes='flag' ;;
    'docs upload|--allow') takes='list duplicate' ;;
    'docs upload|--fields') takes='list id name type size chars team_id created_at updated_at provider_id file_url outcome error code given reason' ;;
    'docs upload|1') takes='file' ;;
    'docs upload|more') takes='file' ;;
    'docs sync|--team') takes='names team' ;;
    'docs sync|--check') takes='flag' ;;
    'docs sync|--attach') takes='names bot' ;;
    'docs sync|--detach-removed') takes='flag' ;;
    'docs sync|--ledger') takes='file' ;;
    'docs sync|--include') takes='text' ;;
    'docs sync|--exclude') takes='text' ;;
    'docs sync|--as-text') takes='text' ;;
    'docs sync|--count-mode') takes='words collapsed raw' ;;
    'docs sync|--fail-empty-pages') takes='text' ;;
    'docs sync|--password-stdin') takes='flag' ;;
    'docs sync|--max-new') takes='text' ;;
    'docs sync|--name-by') takes='words name path' ;;
    'docs sync|--checksum') takes='flag' ;;
    'docs sync|--retry-refused') takes='flag' ;;
    'docs sync|--retire') takes='flag' ;;
    'docs sync|--no-retire') takes='flag' ;;
    'docs sync|--retire-as') takes='text' ;;
    'docs sync|--concurrency') takes='text' ;;
    'docs sync|--settle') takes='text' ;;
    'docs sync|--retry-unknown') takes='flag' ;;
    'docs sync|--allow') takes='list unpublish' ;;
    'docs sync|--fields') takes='list path change outcome error code reason chars size id name bot attached detached' ;;
    'docs sync|1') takes='file' ;;
    'docs count|--include') takes='text' ;;
    'docs count|--exclude') takes='text' ;;
    'docs count|--as-text') takes='text' ;;
    'docs count|--count-mode') takes='words collapsed raw' ;;
    'docs count|--fail-empty-pages') takes='text' ;;
    'docs count|--password-stdin') takes='flag' ;;
    'docs count|--pages') takes='flag' ;;
    'docs count|--fields') takes='list path kind encoding pages chars bytes empty_pages page reason guessed error' ;;
    'docs count|1') takes='file' ;;
    'docs count|more') takes='file' ;;
    'docs list|--team' | 'docs ls|--team') takes='names team' ;;
    'docs list|--name' | 'docs ls|--name') takes='text' ;;
    'docs list|--type' | 'docs ls|--type') takes='words pdf txt docx doc' ;;
    'docs list|--page' | 'docs ls|--page') takes='text' ;;
    'docs list|--per-page' | 'docs ls|--per-page') takes='text' ;;
    'docs list|--limit' | 'docs ls|--limit') takes='text' ;;
    'docs list|--all' | 'docs ls|--all') takes='flag' ;;
    'docs list|--sort' | 'docs ls|--sort') takes='order id name type size chars team_id created_at updated_at provider_id file_url' ;;
    'docs list|--where' | 'docs ls|--where') takes='pair id name type size chars team_id created_at updated_at provider_id file_url' ;;
    'docs list|--fields' | 'docs ls|--fields') takes='list id name type size chars team_id created_at updated_at provider_id file_url' ;;
    'docs get|--team' | 'docs show|--team') takes='names team' ;;
    'docs get|--fields' | 'docs show|--fields') takes='list id name type size chars team_id created_at updated_at provider_id file_url' ;;
    'docs get|1' | 'docs show|1') takes='names document' ;;
    'docs get|more' | 'docs show|more') takes='names document' ;;
    'docs rename|--team') takes='names team' ;;
    'docs rename|--allow') takes='list duplicate' ;;
    'docs rename|--fields') takes='list id name type size chars team_id created_at updated_at provider_id file_url changes' ;;
    'docs rename|1') takes='names document' ;;
    'docs rename|2') takes='text' ;;
    'device create|--team') takes='names team' ;;
    'device create|--bot') takes='names bot' ;;
    'device create|--name') takes='text' ;;
    'device create|--secret-file') takes='file' ;;
    'device create|--show-token') takes='flag' ;;
    'device create|--discard-token') takes='flag' ;;
    'device create|--if-absent') takes='flag' ;;
    'device create|--allow') takes='list duplicate' ;;
    'device create|--fields') takes='list id name team_id bot_id status type connected blocked phone_number token pool_url last_disconnect_reason last_disconnect_at created_at updated_at' ;;
    'device connect|--wait' | 'device pair|--wait') takes='flag' ;;
    'device connect|--no-wait' | 'device pair|--no-wait') takes='flag' ;;
    'device connect|--timeout' | 'device pair|--timeout') takes='text' ;;
    'device connect|--rounds' | 'device pair|--rounds') takes='text' ;;
    'device connect|--repair' | 'device pair|--repair') takes='flag' ;;
    'device connect|--expect' | 'device pair|--expect') takes='text' ;;
    'device connect|--bell' | 'device pair|--bell') takes='flag' ;;
    'device connect|--qr' | 'device pair|--qr') takes='words auto half sextant spaces plain' ;;
    'device connect|--no-qr' | 'device pair|--no-qr') takes='flag' ;;
    'device connect|--qr-invert' | 'device pair|--qr-invert') takes='flag' ;;
    'device connect|--qr-file' | 'device pair|--qr-file') takes='file' ;;
    'device connect|--qr-web' | 'device pair|--qr-web') takes='flag' ;;
    'device connect|--reveal-qr' | 'device pair|--reveal-qr') takes='flag' ;;
    'device connect|--fields' | 'device pair|--fields') takes='list event state device_id name phone_number took fingerprint number round age pause scans expected matches payload because reason status message at' ;;
    'device connect|1' | 'device pair|1') takes='names device' ;;
    'device status|--all' | 'device show|--all') takes='flag' ;;
    'device status|--watch' | 'device show|--watch') takes='flag' ;;
    'device status|--until' | 'device show|--until') takes='words ready stopped lost' ;;
    'device status|--timeout' | 'device show|--timeout') takes='text' ;;
    'device status|--expect' | 'device show|--expect') takes='text' ;;
    'device status|--bell' | 'device show|--bell') takes='flag' ;;
    'device status|--qr' | 'device show|--qr') takes='words auto half sextant spaces plain' ;;
    'device status|--no-qr' | 'device show|--no-qr') takes='flag' ;;
    'device status|--qr-invert' | 'device show|--qr-invert') takes='flag' ;;
    'device status|--qr-file' | 'device show|--qr-file') takes='file' ;;
    'device status|--qr-web' | 'device show|--qr-web') takes='flag' ;;
    'device status|--reveal-qr' | 'device show|--reveal-qr') takes='flag' ;;
    'device status|--fields' | 'device show|--fields') takes='list name state verdict next status connected logged_in phone_number message last_disconnect_reason last_disconnect_at refused_at refused_because qr_code device_id team_name event took fingerprint number round age pause scans expected matches payload because reason at was until missing' ;;
    'device status|1' | 'device show|1') takes='names device' ;;
    'device status|more' | 'device show|more') takes='names device' ;;
    'device history|--limit') takes='text' ;;
    'device history|--sort') takes='order at event reason lost_at phone_number device_id name' ;;
    'device history|--where') takes='pair at event reason lost_at phone_number device_id name' ;;
    'device history|--fields') takes='list at event reason lost_at phone_number device_id name' ;;
    'device history|1') takes='names device' ;;
    'device repair|--force') takes='flag' ;;
    'device repair|--wait') takes='flag' ;;
    'device repair|--no-wait') takes='flag' ;;
    'device repair|--timeout') takes='text' ;;
    'device repair|--expect') takes='text' ;;
    'device repair|--bell') takes='flag' ;;
    'device repair|--qr') takes='words auto half sextant spaces plain' ;;
    'device repair|--no-qr') takes='flag' ;;
    'device repair|--qr-invert') takes='flag' ;;
    'device repair|--qr-file') takes='file' ;;
    'device repair|--qr-web') takes='flag' ;;
    'device repair|--reveal-qr') takes='flag' ;;
    'device repair|--fields') takes='list event evidence connected logged_in next state device_id name phone_number took fingerprint number round age pause scans expected matches payload because reason status message at' ;;
    'device repair|1') takes='names device' ;;
    'device repair|more') takes='names device' ;;
    'device disconnect|--fields') takes='list device_id name status message' ;;
    'device disconnect|1') takes='names device' ;;
    'device disconnect|more') takes='names device' ;;
    'device list|--limit' | 'device ls|--limit') takes='text' ;;
    'device list|--sort' | 'device ls|--sort') takes='order id name team_name bot_name team_id bot_id seen_at' ;;
    'device list|--where' | 'device ls|--where') takes='pair id name team_name bot_name team_id bot_id seen_at' ;;
    'device list|--fields' | 'device ls|--fields') takes='list id name team_name bot_name team_id bot_id seen_at' ;;
    'device add|--name') takes='text' ;;
    'device add|--team') takes='names team' ;;
    'device add|--bot') takes='names bot' ;;
    'device add|--offline') takes='flag' ;;
    'device add|--fields') takes='list id name team_name bot_name team_id bot_id seen_at' ;;
    'device add|1') takes='text' ;;
    'device forget|--gone') takes='flag' ;;
    'device forget|--fields') takes='list id name forgotten' ;;
    'device forget|1') takes='names device' ;;
    'device forget|more') takes='names device' ;;
    'device export|--fields') takes='list service id name team_name bot_name team_id bot_id seen_at noted_at' ;;
    'device import|--fields') takes='list added updated unchanged of_other_services' ;;
    'device import|1') takes='file' ;;
    'campaigns create|--recipients') takes='file' ;;
    'campaigns create|--to-column') takes='text' ;;
    'campaigns create|--skip-invalid') takes='flag' ;;
    'campaigns create|--limit') takes='text' ;;
    'campaigns create|--dry-run') takes='flag' ;;
    'campaigns create|--key-column') takes='text' ;;
    'campaigns create|--device') takes='names device' ;;
    'campaigns create|--message') takes='text' ;;
    'campaigns create|--message-file') takes='file' ;;
    'campaigns create|--send-as-audio') takes='flag' ;;
    'campaigns create|--no-send-as-audio') takes='flag' ;;
    'campaigns create|--ai-generates-message') takes='flag' ;;
    'campaigns create|--image-url') takes='text' ;;
    'campaigns create|--image-mime-type') takes='text' ;;
    'campaigns create|--gap') takes='text' ;;
    'campaigns create|--daily') takes='text' ;;
    'campaigns create|--warm-up') takes='text' ;;
    'campaigns create|--window') takes='text' ;;
    'campaigns create|--tz') takes='text' ;;
    'campaigns create|--database') takes='text' ;;
    'campaigns create|--fields') takes='list name state service devices rows planned accepted rejected unknown opted_out duplicates invalid alike pace takes first_to first_message last_to last_message longest_message longest_chars recipients created_at made_on' ;;
    'campaigns create|1') takes='text' ;;
    'campaigns list|--limit' | 'campaigns ls|--limit') takes='text' ;;
    'campaigns list|--sort' | 'campaigns ls|--sort') takes='order name state devices rows planned accepted rejected unknown opted_out duplicates invalid created_at' ;;
    'campaigns list|--where' | 'campaigns ls|--where') takes='pair name state devices rows planned accepted rejected unknown opted_out duplicates invalid created_at' ;;
    'campaigns list|--database' | 'campaigns ls|--database') takes='text' ;;
    'campaigns list|--fields' | 'campaigns ls|--fields') takes='list name state devices rows planned accepted rejected unknown opted_out duplicates invalid created_at' ;;
    'campaigns get|--database' | 'campaigns show|--database') takes='text' ;;
    'campaigns get|--fields' | 'campaigns show|--fields') takes='list name state service devices rows planned accepted rejected unknown opted_out duplicates invalid alike pace takes first_to first_message last_to last_message longest_message longest_chars recipients created_at made_on' ;;
    'campaigns get|1' | 'campaigns show|1') takes='names campaign' ;;
    'campaigns add|--recipients') takes='file' ;;
    'campaigns add|--to-column') takes='text' ;;
    'campaigns add|--skip-invalid') takes='flag' ;;
    'campaigns add|--limit') takes='text' ;;
    'campaigns add|--dry-run') takes='flag' ;;
    'campaigns add|--database') takes='text' ;;
    'campaigns add|--fields') takes='list name added planned opted_out duplicates invalid known rows' ;;
    'campaigns add|1') takes='names campaign' ;;
    'campaigns test|--to') takes='text' ;;
    'campaigns test|--row') takes='text' ;;
    'campaigns test|--device') takes='names device' ;;
    'campaigns test|--database') takes='text' ;;
    'campaigns test|--fields') takes='list name row device to message' ;;
    'campaigns test|1') takes='names campaign' ;;
    'campaigns run|--wait') takes='flag' ;;
    'campaigns run|--retry') takes='words rejected' ;;
    'campaigns run|--retry-unknown') takes='flag' ;;
    'campaigns run|--resume') takes='flag' ;;
    'campaigns run|--accept-number') takes='text' ;;
    'campaigns run|--accept-failover') takes='flag' ;;
    'campaigns run|--database') takes='text' ;;
    'campaigns run|--allow') takes='list resend' ;;
    'campaigns run|--fields') takes='list device accepted_now accepted rejected unknown skipped left ended because next_at' ;;
    'campaigns run|1') takes='names campaign' ;;
    'campaigns run|more') takes='names campaign' ;;
    'campaigns results|--state') takes='words planned sending accepted rejected unknown skipped' ;;
    'campaigns results|--database') takes='text' ;;
    'campaigns results|--fields') takes='list row to state reason because at attempts device message' ;;
    'campaigns results|1') takes='names campaign' ;;
    'campaigns settle|--accepted') takes='flag' ;;
    'campaigns settle|--not-sent') takes='flag' ;;
    'campaigns settle|--database') takes='text' ;;
    'campaigns settle|--fields') takes='list name rows state unknown' ;;
    'campaigns settle|1') takes='names campaign' ;;
    'campaigns settle|2') takes='text' ;;
    'campaigns settle|more') takes='text' ;;
    'campaigns pause|--database') takes='text' ;;
    'campaigns pause|--fields') takes='list name state at left' ;;
    'campaigns pause|1') takes='names campaign' ;;
    'campaigns cancel|--database') takes='text' ;;
    'campaigns cancel|--fields') takes='list name state at left' ;;
    'campaigns cancel|1') takes='names campaign' ;;
    'campaigns delete|--database' | 'campaigns rm|--database' | 'campaigns remove|--database') takes='text' ;;
    'campaigns delete|--confirm' | 'campaigns rm|--confirm' | 'campaigns remove|--confirm') takes='names campaign' ;;
    'campaigns delete|--fields' | 'campaigns rm|--fields' | 'campaigns remove|--fields') takes='list name rows deleted' ;;
    'campaigns delete|1' | 'campaigns rm|1' | 'campaigns remove|1') takes='names campaign' ;;
    'campaigns migrate|--database') takes='text' ;;
    'campaigns migrate|--fields') takes='list campaigns rows unknown optouts files database' ;;
    'optouts add|--note') takes='text' ;;
    'optouts add|--database') takes='text' ;;
    'optouts add|--fields') takes='list number note added_at added' ;;
    'optouts add|1') takes='text' ;;
    'optouts remove|--database' | 'optouts rm|--database' | 'optouts delete|--database') takes='text' ;;
    'optouts remove|--fields' | 'optouts rm|--fields' | 'optouts delete|--fields') takes='list number note added_at removed' ;;
    'optouts remove|1' | 'optouts rm|1' | 'optouts delete|1') takes='text' ;;
    'optouts list|--limit' | 'optouts ls|--limit') takes='text' ;;
    'optouts list|--sort' | 'optouts ls|--sort') takes='order number note added_at' ;;
    'optouts list|--where' | 'optouts ls|--where') takes='pair number note added_at' ;;
    'optouts list|--database' | 'optouts ls|--database') takes='text' ;;
    'optouts list|--fields' | 'optouts ls|--fields') takes='list number note added_at' ;;
    'optouts import|--local') takes='flag' ;;
    'optouts import|--to-column') takes='text' ;;
    'optouts import|--note') takes='text' ;;
    'optouts import|--skip-invalid') takes='flag' ;;
    'optouts import|--database') takes='text' ;;
    'optouts import|--fields') takes='list added known invalid' ;;
    'optouts import|1') takes='file' ;;
    'sandbox start|--port') takes='text' ;;
    'sandbox start|--data') takes='file' ;;
    'sandbox start|--database') takes='text' ;;
    'sandbox start|--files') takes='file' ;;
    'sandbox start|--detach') takes='flag' ;;
    'sandbox start|--host') takes='text' ;;
    'sandbox start|--log-size') takes='text' ;;
    'sandbox start|--log') takes='words json' ;;
    'sandbox start|--metrics') takes='text' ;;
    'sandbox start|--phone') takes='words auto manual' ;;
    'sandbox start|--qr-delay') takes='text' ;;
    'sandbox start|--blink') takes='flag' ;;
    'sandbox start|--shared-emails') takes='flag' ;;
    'sandbox start|--rate-limit') takes='text' ;;
    'sandbox start|--latency') takes='text' ;;
    'sandbox start|--qr-style') takes='words plain palette grey rgb green blue high interlaced transparent inverted small narrow logo mixed' ;;
    'sandbox start|--behind-proxy') takes='flag' ;;
    'sandbox start|--drain-delay') takes='text' ;;
    'sandbox start|--fields') takes='list base_url key_id key_secret pid data' ;;
    'sandbox run|--port') takes='text' ;;
    'sandbox run|--database') takes='text' ;;
    'sandbox run|--files') takes='file' ;;
    'sandbox run|--host') takes='text' ;;
    'sandbox run|--log-size') takes='text' ;;
    'sandbox run|--log') takes='words json' ;;
    'sandbox run|--metrics') takes='text' ;;
    'sandbox run|--phone') takes='words auto manual' ;;
    'sandbox run|--qr-delay') takes='text' ;;
    'sandbox run|--blink') takes='flag' ;;
    'sandbox run|--shared-emails') takes='flag' ;;
    'sandbox run|--rate-limit') takes='text' ;;
    'sandbox run|--latency') takes='text' ;;
    'sandbox run|--qr-style') takes='words plain palette grey rgb green blue high interlaced transparent inverted small narrow logo mixed' ;;
    'sandbox run|1') takes='text' ;;
    'sandbox run|more') takes='text' ;;
    'sandbox status|--data') takes='file' ;;
    'sandbox status|--all') takes='flag' ;;
    'sandbox status|--fields') takes='list data database base_url pid version started_at now frozen phone log key_id teams bots documents devices messages' ;;
    'sandbox stop|--data') takes='file' ;;
    'sandbox stop|--fields') takes='list data pid' ;;
    'sandbox reset|--data') takes='file' ;;
    'sandbox reset|--fields') takes='list data database base_url pid version started_at now frozen phone log key_id teams bots documents devices messages' ;;
    'sandbox seed|--teams') takes='text' ;;
    'sandbox seed|--bots') takes='text' ;;
    'sandbox seed|--docs') takes='text' ;;
    'sandbox seed|--seed') takes='text' ;;
    'sandbox seed|--data') takes='file' ;;
    'sandbox seed|--fields') takes='list teams bots documents' ;;
    'sandbox publish|--data') takes='file' ;;
    'sandbox publish|--fields') takes='list bot_id name published' ;;
    'sandbox publish|1') takes='names bot' ;;
    'sandbox phone scan|--text') takes='flag' ;;
    'sandbox phone scan|--number') takes='text' ;;
    'sandbox phone scan|--stall') takes='flag' ;;
    'sandbox phone scan|--data') takes='file' ;;
    'sandbox phone scan|--fields') takes='list device_id name phone_number' ;;
    'sandbox phone scan|1') takes='file' ;;
    'sandbox phone unlink|--data') takes='file' ;;
    'sandbox phone unlink|--fields') takes='list device_id name status connected logged_in blocked last_disconnect_reason' ;;
    'sandbox phone unlink|1') takes='names device' ;;
    'sandbox phone offline|--data') takes='file' ;;
    'sandbox phone offline|--fields') takes='list device_id name status connected logged_in blocked last_disconnect_reason' ;;
    'sandbox phone offline|1') takes='names device' ;;
    'sandbox phone online|--data') takes='file' ;;
    'sandbox phone online|--fields') takes='list device_id name status connected logged_in blocked last_disconnect_reason' ;;
    'sandbox phone online|1') takes='names device' ;;
    'sandbox phone takeover|--data') takes='file' ;;
    'sandbox phone takeover|--fields') takes='list device_id name status connected logged_in blocked last_disconnect_reason' ;;
    'sandbox phone takeover|1') takes='names device' ;;
    'sandbox phone block|--data') takes='file' ;;
    'sandbox phone block|--fields') takes='list device_id name status connected logged_in blocked last_disconnect_reason' ;;
    'sandbox phone block|1') takes='names device' ;;
    'sandbox phone unblock|--data') takes='file' ;;
    'sandbox phone unblock|--fields') takes='list device_id name status connected logged_in blocked last_disconnect_reason' ;;
    'sandbox phone unblock|1') takes='names device' ;;
    'sandbox key create|--name') takes='text' ;;
    'sandbox key create|--expires') takes='text' ;;
    'sandbox key create|--secret-file') takes='file' ;;
    'sandbox key create|--show-secret') takes='flag' ;;
    'sandbox key create|--data') takes='file' ;;
    'sandbox key create|--database') takes='text' ;;
    'sandbox key create|--fields') takes='list key_id name key_secret created_at' ;;
    'sandbox key deactivate|--data') takes='file' ;;
    'sandbox key deactivate|--fields') takes='list key_id name is_active' ;;
    'sandbox key deactivate|1') takes='names key' ;;
    'sandbox clock advance|--data') takes='file' ;;
    'sandbox clock advance|--fields') takes='list now frozen' ;;
    'sandbox clock advance|1') takes='text' ;;
    'sandbox clock set|--data') takes='file' ;;
    'sandbox clock set|--fields') takes='list now frozen' ;;
    'sandbox clock set|1') takes='text' ;;
    'sandbox clock freeze|--data') takes='file' ;;
    'sandbox clock freeze|--fields') takes='list now frozen' ;;
    'sandbox clock resume|--data') takes='file' ;;
    'sandbox clock resume|--fields') takes='list now frozen' ;;
    'sandbox fault add|--status') takes='text' ;;
    'sandbox fault add|--code') takes='text' ;;
    'sandbox fault add|--retry-after') takes='text' ;;
    'sandbox fault add|--delay') takes='text' ;;
    'sandbox fault add|--reset') takes='words before after' ;;
    'sandbox fault add|--truncate') takes='flag' ;;
    'sandbox fault add|--body') takes='file' ;;
    'sandbox fault add|--type') takes='text' ;;
    'sandbox fault add|--after') takes='text' ;;
    'sandbox fault add|--times') takes='text' ;;
    'sandbox fault add|--rate') takes='text' ;;
    'sandbox fault add|--seed') takes='text' ;;
    'sandbox fault add|--data') takes='file' ;;
    'sandbox fault add|--fields') takes='list id target effect when seen met' ;;
    'sandbox fault add|1') takes='text' ;;
    'sandbox fault add|more') takes='text' ;;
    'sandbox fault list|--data' | 'sandbox fault ls|--data') takes='file' ;;
    'sandbox fault list|--fields' | 'sandbox fault ls|--fields') takes='list id target effect when seen met' ;;
    'sandbox fault clear|--data') takes='file' ;;
    'sandbox fault clear|--fields') takes='list cleared' ;;
    'sandbox fault clear|1') takes='text' ;;
    'sandbox fault clear|more') takes='text' ;;
    'sandbox behave|--ignore-filters') takes='flag' ;;
    'sandbox behave|--ignore-paging') takes='flag' ;;
    'sandbox behave|--rename') takes='text' ;;
    'sandbox behave|--extra-members') takes='flag' ;;
    'sandbox behave|--unauthorized-status') takes='text' ;;
    'sandbox behave|--shared-emails') takes='flag' ;;
    'sandbox behave|--no-shared-emails') takes='flag' ;;
    'sandbox behave|--size-unit') takes='words bytes kB KiB MB MiB' ;;
    'sandbox behave|--rename-query') takes='text' ;;
    'sandbox behave|--ignore-unknown') takes='flag' ;;
    'sandbox behave|--max-limit') takes='text' ;;
    'sandbox behave|--first-page') takes='text' ;;
    'sandbox behave|--order') takes='words created_at created_at:desc name name:desc' ;;
    'sandbox behave|--case-sensitive') takes='flag' ;;
    'sandbox behave|--reset') takes='flag' ;;
    'sandbox behave|--data') takes='file' ;;
    'sandbox behave|--fields') takes='list ignore_filters ignore_paging rename extra_members unauthorized_status shared_emails size_unit rename_query ignore_unknown max_limit first_page order case_sensitive' ;;
    'sandbox log|--follow') takes='flag' ;;
    'sandbox log|--since') takes='text' ;;
    'sandbox log|--limit') takes='text' ;;
    'sandbox log|--data') takes='file' ;;
    'sandbox log|--fields') takes='list time operation method path status duration_ms fault request_id key_id request_bytes response_bytes' ;;
    'sandbox messages|--device') takes='names device' ;;
    'sandbox messages|--to') takes='text' ;;
    'sandbox messages|--follow') takes='flag' ;;
    'sandbox messages|--since') takes='text' ;;
    'sandbox messages|--limit') takes='text' ;;
    'sandbox messages|--data') takes='file' ;;
    'sandbox messages|--fields') takes='list time name device_id destination_number message send_as_audio ai_generates_message image_url image_mime_type request_id id' ;;
    'sandbox migrate|--database') takes='text' ;;
    'sandbox migrate|--fields') takes='list database migrated' ;;
    'api POST|--query') takes='text' ;;
    'api POST|--set') takes='text' ;;
    'api POST|--set-string') takes='text' ;;
    'api POST|--set-file') takes='text' ;;
    'api POST|--body') takes='file' ;;
    'api POST|--file') takes='file' ;;
    'api POST|--paginate') takes='flag' ;;
    'api POST|--include') takes='flag' ;;
    'api POST|--dry-run') takes='flag' ;;
    'api POST|1') takes='words /api/openapi/auth/token /api/openapi/v1/api-keys /api/openapi/v1/teams /api/openapi/v1/bots /api/openapi/v1/documents /api/openapi/v1/devices /api/openapi/v1/devices/{id}/connect /api/openapi/v1/devices/{id}/disconnect /api/openapi/v1/send' ;;
    'api GET|--query') takes='text' ;;
    'api GET|--set') takes='text' ;;
    'api GET|--set-string') takes='text' ;;
    'api GET|--set-file') takes='text' ;;
    'api GET|--body') takes='file' ;;
    'api GET|--file') takes='file' ;;
    'api GET|--paginate') takes='flag' ;;
    'api GET|--include') takes='flag' ;;
    'api GET|--dry-run') takes='flag' ;;
    'api GET|1') takes='words /api/openapi/v1/api-keys /api/openapi/v1/api-keys/{keyId} /api/openapi/v1/teams /api/openapi/v1/teams/{id} /api/openapi/v1/bots /api/openapi/v1/bots/{id} /api/openapi/v1/documents /api/openapi/v1/documents/{id} /api/openapi/v1/devices/{id}/status' ;;
    'api DELETE|--query') takes='text' ;;
    'api DELETE|--set') takes='text' ;;
    'api DELETE|--set-string') takes='text' ;;
    'api DELETE|--set-file') takes='text' ;;
    'api DELETE|--body') takes='file' ;;
    'api DELETE|--file') takes='file' ;;
    'api DELETE|--paginate') takes='flag' ;;
    'api DELETE|--include') takes='flag' ;;
    'api DELETE|--dry-run') takes='flag' ;;
    'api DELETE|1') takes='words /api/openapi/v1/api-keys/{keyId} /api/openapi/v1/bots/{id}' ;;
    'api PATCH|--query') takes='text' ;;
    'api PATCH|--set') takes='text' ;;
    'api PATCH|--set-string') takes='text' ;;
    'api PATCH|--set-file') takes='text' ;;
    'api PATCH|--body') takes='file' ;;
    'api PATCH|--file') takes='file' ;;
    'api PATCH|--paginate') takes='flag' ;;
    'api PATCH|--include') takes='flag' ;;
    'api PATCH|--dry-run') takes='flag' ;;
    'api PATCH|1') takes='words /api/openapi/v1/teams/{id} /api/openapi/v1/bots/{id} /api/openapi/v1/documents/{id}' ;;
  esac
  [[ -z $takes ]] || return 0
  case $2 in
    '--profile') takes='names profile' ;;
    '--base-url') takes='text' ;;
    '--output' | '-o') takes='words table json ndjson csv tsv yaml id markdown help' ;;
    '--fields') takes='text' ;;
    '--header') takes='flag' ;;
    '--no-input') takes='flag' ;;
    '--yes' | '-y') takes='flag' ;;
    '--allow') takes='list unpublish duplicate lower-quota ban adopt create-device recreate resend delete-bot' ;;
    '--confirm-profile') takes='names profile' ;;
    '--no-color') takes='flag' ;;
    '--request-timeout') takes='text' ;;
    '--retries') takes='text' ;;
    '--max-rps') takes='text' ;;
    '--ca-file') takes='file' ;;
    '--region') takes='text' ;;
    '--insecure-http') takes='flag' ;;
    '--error-format') takes='words text json' ;;
    '--debug') takes='flag' ;;
  esac
}

# Splits $1, the line up to the cursor, as the shell will. Sets words, without their quotes, the last being the
# one to complete; quote, the one that is still open; and head, how much of the last word readline keeps.
# Fails if the line holds $'...' or $"...", for readline then sees other quotes than the shell.
__botctl_split() {
  local line=$1 at=0 char next word='' inside='' kept=0
  words=() quote='' head=0
  while ((at < ${#line})); do
    char=${line:at:1} next=${line:at+1:1}
    ((at += 1))
    case $quote$char in
      "''" | '""') quote='' head=$kept ;;
      '"\')
        case $next in
          [\"\$\`\\]) word+=$next && ((at += 1)) ;;
          *) word+=$char ;;
        esac
        ;;
      [\'\"]?) word+=$char ;;
      ' ' | $'\t')
        [[ -n $inside ]] && words+=("$word")
        word='' inside='' head=0
        continue
        ;;
      \\) word+=$next && ((at += 1)) ;;
      [\'\"]) quote=$char kept=$head head=${#word} ;;
      *)
        [[ $char == \$ && $next == [\'\"] ]] && return 1
        word+=$char
        # Readline leaves the at sign and the dollar to the word that they begin.
        [[ $COMP_WORDBREAKS == *"$char"* ]] && case $char in
          @ | \$) head=$((${#word} - 1)) ;;
          *) head=${#word} ;;
        esac
        ;;
    esac
    inside=yes
  done
  words+=("$word")
}

# Sets text to $1, written so that the shell takes it back as it is. In an open quote it begins with that quote and
# ends with it: readline puts such a word in the place of the quote. It would take a quote that means something else
# for that one too, and M-* takes the open quote away in any case.
__botctl_quote() {
  local at char
  text=$quote
  for ((at = 0; at < ${#1}; at += 1)); do
    char=${1:at:1}
    case $quote$char in
      "''") text+="'\\''" ;;
      '""' | '"$' | '"`' | '"\') text+="\\$char" ;;
      # In double quotes nothing keeps it from the history of an interactive shell.
      '"!') text+='"\!"' ;;
      [\'\"]?) text+=$char ;;
      [[:space:][:cntrl:]\!\"\#\$\&\'\(\)\*\;\<\>\?\[\\\]\^\`\{\|\}\~]) text+="\\$char" ;;
      *) text+=$char ;;
    esac
  done
  text+=$quote
}

# Offers $1 in the place of the word, if it begins like it.
__botctl_offer() {
  local text whole=$prefix$1
  [[ $1 == "$current"* ]] || return 0
  __botctl_quote "${whole:head}"
  COMPREPLY+=("$text")
}

_botctl() {
  local IFS=$' \t\n' words=() quote='' head=0 verbs='' flags='' takes=''
  local trail='' place=0 pending='' ended='' index word note prefix='' current
  COMPREPLY=()
  __botctl_split "${COMP_LINE:0:COMP_POINT}" || return 0
  current=${words[${#words[@]} - 1]}

  # What the words before have led to.
  for ((index = 1; index < ${#words[@]} - 1; index += 1)); do
    word=${words[index]}
    __botctl_place "$trail"
    if [[ -n $pending ]]; then
      pending=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=yes
    elif [[ -z $ended && $word == -?* ]]; then
      __botctl_takes "$trail" "$word"
      [[ $takes == flag ]] || pending=$takes
    elif ((place == 0)) && [[ -n $word && $word != *' '* && " $verbs " == *" $word "* ]]; then
      trail=${trail:+$trail }$word
    else
      ((place += 1))
    fi
  done

  # What may stand here.
  __botctl_place "$trail"
  if [[ -n $pending ]]; then
    takes=$pending
  elif [[ -z $ended && $current == --*=* ]]; then
    __botctl_takes "$trail" "${current%%=*}"
    prefix=${current%%=*}= current=${current#*=}
  elif [[ -z $ended && $current == -* ]]; then
    takes="words $flags"
  elif ((place == 0)) && [[ -n $verbs ]]; then
    takes="words $verbs"
  else
    __botctl_takes "$trail" "$((place + 1))"
    [[ -n $takes ]] || __botctl_takes "$trail" more
    [[ -n $takes ]] || takes="words $flags"
  fi

  case $takes in
    words\ *)
      for word in ${takes#* }; do __botctl_offer "$word"; done
      ;;
    list\ *)
      [[ $current == *,* ]] && note=${current%,*}, || note=''
      for word in ${takes#* }; do
        # Each is taken once.
        [[ ,$note == *",$word,"* ]] || __botctl_offer "$note$word"
      done
      compopt -o nospace 2>/dev/null
      ;;
    order\ *)
      for word in ${takes#* }; do
        __botctl_offer "$word"
        [[ $current == *:* ]] && __botctl_offer "$word:asc" && __botctl_offer "$word:desc"
      done
      compopt -o nospace 2>/dev/null
      ;;
    pair\ *)
      [[ $current == *=* ]] || for word in ${takes#* }; do __botctl_offer "$word="; done
      compopt -o nospace 2>/dev/null
      ;;
    names\ *)
      while IFS=$'\t' read -r word note; do
        __botctl_offer "$word"
      done < <(command botctl completion --names "${takes#* }" "--word=$current" "${words[@]:1}" 2>/dev/null)
      ;;
    file)
      # Readline knows best how to complete files, where it sees the path alone.
      ((head >= ${#prefix})) && compopt -o default 2>/dev/null && return
      while read -r word; do __botctl_offer "$word"; done < <(compgen -f -- "$current")
      ;;
  esac
}

complete -F _botctl botctl
