import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { loadWasmModule } from '../../../src/sandbox/store/wasm-module.ts';

describe('a module of WebAssembly', () => {
  /** The least that is one: its first bytes, and the version. */
  const empty = Buffer.from('\0asm\x01\0\0\0', 'latin1');
  let home: string;
  let file: string;

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'botctl-wasm-'));
    file = join(home, 'module.wasm');
  });
  afterAll(() => rmSync(home, { recursive: true }));

  it('is read once, and again when another version was installed', () => {
    writeFileSync(file, empty);
    const first = loadWasmModule(file);
    expect(loadWasmModule(file)).toBe(first);
    writeFileSync(`${file}.new`, empty);
    renameSync(`${file}.new`, file);
    const second = loadWasmModule(file);
    expect(second).not.toBe(first);
    expect(loadWasmModule(file)).toBe(second);
  });

  it('that is missing or damaged is to be installed again', () => {
    const refusal = (): string => {
      try {
        loadWasmModule(file);
      } catch (error) {
        if (error instanceof Failure) return `${error.message} ${error.hint}`;
      }
      return 'nothing was refused';
    };
    truncateSync(file, 5);
    expect(refusal()).toMatch(/module\.wasm can't be used: WebAssembly.*install it again: npm install /);
    rmSync(file);
    expect(refusal()).toContain("module.wasm can't be used: there is no such file.");
  });
});
