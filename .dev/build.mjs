// Builds the service and, side by side, the console in the browser.
import { spawn } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const CONSOLE = path.join(root, 'dist', 'console');
const COMPRESSIBLE = /\.(?:js|css|html|svg)$/;

/** Output goes to stderr: that of the command for which this is built may be piped somewhere. */
function run(script, ...args) {
  const child = spawn(process.execPath, [path.join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${script} failed (see above).`))));
  });
}

async function buildConsole() {
  await run('vite/bin/vite.js', 'build', 'src/web', '--logLevel', 'warn');
  const files = await readdir(CONSOLE, { recursive: true });
  await Promise.all(files.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(path.join(CONSOLE, name))));
}

/** Once here instead of with every request. */
async function compress(file) {
  const plain = await readFile(file);
  await writeFile(`${file}.gz`, await promisify(zlib.gzip)(plain, { level: 9 }));
  await writeFile(`${file}.br`, await promisify(zlib.brotliCompress)(plain));
}

await rm(path.join(root, 'dist'), { recursive: true, force: true });
try {
  await Promise.all([run('@nestjs/cli/bin/nest.js', 'build'), buildConsole()]);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
