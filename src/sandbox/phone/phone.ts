import type { Device, MessagingNetwork, Presented } from '../network.ts';
import { readPicture, readPixels } from './camera.ts';
import { photograph } from './photograph.ts';
import { readScreen } from './screen.ts';

/**
 * The simulated phone that pairs devices. It knows nothing of the codes: it reads the picture that it is
 * shown and presents what it read to the network. Its methods give the device that it was paired with.
 * @throws NothingRead, PairingRefused: nothing has changed then.
 */
export interface Phone {
  /** Scans a PNG. */
  scanPicture(png: Uint8Array, presented?: Presented): Promise<Device>;
  /** Scans what a terminal shows after it was sent a text. */
  scanScreen(text: string, presented?: Presented): Promise<Device>;
}

/** Makes a phone on a network. */
export function createPhone(network: MessagingNetwork): Phone {
  return {
    scanPicture: async (png, presented) => network.pair(readPicture(png), presented),
    scanScreen: async (text, presented) => network.pair(readPixels(photograph(readScreen(text))), presented),
  };
}
