import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { describeWith } from './describe-with.js';

const PATH = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** `describe` for tests that need a browser. */
export const describeInChromium = (): jest.Describe => describeWith('chromium', PATH !== undefined);

/** The browser of the operating system, without anything that it does on its own. */
export function launchChromium(): Promise<Browser> {
  const quiet = ['--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'];
  return chromium.launch({ executablePath: PATH, args: ['--no-sandbox', '--disable-sync', ...quiet] });
}
