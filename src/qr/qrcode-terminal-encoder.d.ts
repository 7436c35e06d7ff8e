/**
 * The encoder inside qrcode-terminal. The documented module of the package can't be bundled: its octal escapes are a
 * syntax error for the bundler. It also draws the code, so the modules would have to be parsed from the drawing.
 */
declare module 'qrcode-terminal/vendor/QRCode/index.js' {
  export default class QRCode {
    /**
     * @param version -1 for the smallest that fits
     * @param level as in the format information: 1 L, 0 M, 3 Q, 2 H
     */
    constructor(version: number, level: number);
    /** Adds data; each character counts as one byte. */
    addData(bytes: string): void;
    make(): void;
    getModuleCount(): number;
    /** True if the module is dark. */
    isDark(row: number, column: number): boolean;
  }
}
