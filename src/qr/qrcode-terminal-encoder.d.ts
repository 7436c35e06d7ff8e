/**
 * The encoder inside qrcode-terminal. The module that the package documents can't be bundled: its octal escapes are no syntax
 * for the bundler. It also draws the code, so the modules would have to be read back.
 */
declare module 'qrcode-terminal/vendor/QRCode/index.js' {
  export default class QRCode {
    /**
     * @param version -1 for the smallest that fits
     * @param level as in the format information: 1 L, 0 M, 3 Q, 2 H
     */
    constructor(version: number, level: number);
    /** Takes each character as one byte. */
    addData(bytes: string): void;
    make(): void;
    getModuleCount(): number;
    /** True if the module is dark. */
    isDark(row: number, column: number): boolean;
  }
}
