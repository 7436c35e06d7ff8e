import * as z from 'zod/mini';

/** The members of pdf.js's annotations that are read here. Other kinds lack most of them. */
const annotationSchema = z.object({
  pageIndex: z.int(),
  subtype: z.string(),
  annotationFlags: z.int(),
  /** Lines of its appearance. */
  textContent: z.optional(z.array(z.string())),
  /** For form fields. */
  fieldType: z.nullish(z.string()),
  fieldValue: z.nullish(z.union([z.string(), z.array(z.nullable(z.string()))])),
  hidden: z.optional(z.boolean()),
  password: z.optional(z.boolean()),
  /** Each letter is in a separate box. */
  comb: z.optional(z.boolean()),
  options: z.optional(
    z.array(z.object({ exportValue: z.nullable(z.string()), displayValue: z.nullable(z.string()) })),
  ),
});

type Annotation = z.infer<typeof annotationSchema>;

/** Annotations without these flags are shown on a screen: Hidden and NoView (PDF 1.7, 12.5.3). */
const hiddenFlags = 0x02 | 0x20;

/**
 * Returns the visible texts of annotations, by page number: values of text fields,
 * choices in lists, and text boxes. Comments and notes are not part of the page. Check boxes and radio buttons show
 * a mark, not their value, and push buttons are controls.
 * @param annotations the annotations of pdf.js
 */
export function annotationTexts(annotations: readonly unknown[]): ReadonlyMap<number, readonly string[]> {
  const texts = new Map<number, string[]>();
  for (const annotation of annotations) {
    const { data } = z.safeParse(annotationSchema, annotation);
    const text = data && textOf(data);
    if (!text) continue;
    const page = data.pageIndex + 1;
    texts.set(page, [...(texts.get(page) ?? []), text]);
  }
  return texts;
}

function textOf(annotation: Annotation): string {
  const { subtype, fieldType, textContent, hidden, password, annotationFlags } = annotation;
  if (hidden || password || (annotationFlags & hiddenFlags) !== 0) return '';
  if (subtype === 'FreeText') return textContent?.join('\n') ?? '';
  return fieldType === 'Tx' ? textOfField(annotation) : fieldType === 'Ch' ? choiceText(annotation) : '';
}

/** The appearance is the visible text: it may be formatted. With letters in boxes it has spaces between them. */
function textOfField({ comb, textContent, fieldValue }: Annotation): string {
  const shown = comb ? undefined : textContent?.join('\n');
  return shown ?? (typeof fieldValue === 'string' ? fieldValue : '');
}

function choiceText({ fieldValue, options = [] }: Annotation): string {
  const chosen = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  return chosen
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value ?? '')
    .join('\n');
}
