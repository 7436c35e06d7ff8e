import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../lib/package-root.ts';
import { takePictures } from './pictures/scenes.ts';

/** Takes the pictures of the README again. */
async function buildPictures(): Promise<void> {
  const directory = join(packageRoot(), 'test', 'pictures');
  mkdirSync(directory, { recursive: true });
  for (const [file, picture] of Object.entries(await takePictures())) {
    writeFileSync(join(directory, file), picture);
    process.stdout.write(`test/pictures/${file}: ${Math.ceil(picture.length / 1024)} KiB\n`);
  }
}

void buildPictures();
