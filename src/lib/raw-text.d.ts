/** The text of a file, inlined when the program is bundled (src/build/bundling.ts); vitest does the same. */
declare module '*?raw' {
  const text: string;
  export default text;
}
