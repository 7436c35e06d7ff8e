/** The text of a file, put into the program when it is bundled (src/build/bundling.ts); vitest does the same. */
declare module '*?raw' {
  const text: string;
  export default text;
}
