// Runs before every npm command: installs and builds whatever is missing or out of date, otherwise stays silent.
// With the argument `packages` it only installs: the tests compile what they need themselves.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MIN_NODE = { major: 20, minor: 19 };
const LOCK_WAIT_MS = 15 * 60_000;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const onlyPackages = process.argv[2] === 'packages';
const at = (...parts) => path.join(root, ...parts);
const lockDir = at('.dev', '.ready-lock');
const installStamp = at('node_modules', '.agent-platform-stamp');
const buildStamp = at('dist', '.agent-platform-stamp');
const installedLock = at('node_modules', '.package-lock.json');

// The output of the command that follows may be piped somewhere, so everything here goes to stderr.
const say = (message) => process.stderr.write(`${message}\n`);

function readOrNull(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function dependencyFingerprint() {
  const lock = readOrNull(at('package-lock.json'));
  const { dependencies, devDependencies, optionalDependencies, overrides } = JSON.parse(readOrNull(at('package.json')));
  const declared = JSON.stringify([dependencies, devDependencies, optionalDependencies, overrides]);
  return createHash('sha256').update(`${lock}\n${declared}`).digest('hex');
}

function sourceFingerprint(dependencies) {
  const hash = createHash('sha256').update(dependencies);
  const add = (file) => hash.update(`\n${file}\n`).update(fs.readFileSync(at(file)));
  const isSetting = (name) => ['package.json', 'nest-cli.json'].includes(name) || /^tsconfig.*\.json$/.test(name);
  fs.readdirSync(root).filter(isSetting).sort().forEach(add);
  const visit = (folder) => {
    const entries = fs.readdirSync(at(folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else if (entry.isFile()) add(name);
    }
  };
  visit('src');
  return hash.digest('hex');
}

/** Someone ran npm by hand: true when npm's own record of node_modules agrees with package-lock.json. */
function installedByHand() {
  const [wanted, installed] = [readOrNull(at('package-lock.json')), readOrNull(installedLock)];
  if (!wanted || !installed) return false;
  const present = JSON.parse(installed).packages ?? {};
  return Object.entries(JSON.parse(wanted).packages ?? {}).every(([folder, { version, integrity, optional }]) => {
    const found = present[folder];
    if (folder === '' || (!found && optional)) return true;
    return found?.version === version && found.integrity === integrity && fs.existsSync(at(folder, 'package.json'));
  });
}

/** What has to be done, or null. */
function pendingWork() {
  const dependencies = dependencyFingerprint();
  if (readOrNull(installStamp) !== dependencies) return { step: 'install', dependencies };
  if (onlyPackages) return null;
  const sources = sourceFingerprint(dependencies);
  const built = fs.existsSync(at('dist', 'main.js')) && readOrNull(buildStamp) === sources;
  return built ? null : { step: 'build', sources };
}

function run(command, args) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) say(error.message);
  return status === 0 && !signal;
}

function install(dependencies) {
  if (installedByHand()) return fs.writeFileSync(installStamp, dependencies);
  say('Installing dependencies (once) ...');
  // Removed first: after an interrupted install neither record may vouch for a half-filled node_modules.
  for (const record of [installStamp, installedLock]) fs.rmSync(record, { force: true });
  const verb = fs.existsSync(at('package-lock.json')) ? 'ci' : 'install';
  // Development packages are needed for the build, also where NODE_ENV=production would leave them out.
  const args = [verb, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath ?? '';
  const done = npm.endsWith('npm-cli.js') ? run(process.execPath, [npm, ...args]) : run('npm', args);
  if (!done) throw new Error(`Installing the dependencies failed ("npm ${verb}", see above).`);
  fs.mkdirSync(at('node_modules'), { recursive: true });
  fs.writeFileSync(installStamp, dependencyFingerprint());
}

function build(sources) {
  say('Building ...');
  const start = Date.now();
  fs.rmSync(buildStamp, { force: true });
  const done = run(process.execPath, [at('.dev', 'build.mjs')]);
  if (!done || !fs.existsSync(at('dist', 'main.js'))) throw new Error('The build failed (see above).');
  fs.writeFileSync(buildStamp, sources);
  say(`Built in ${((Date.now() - start) / 1000).toFixed(1)} s.`);
}

function isAlive(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * The lock is a directory that holds one file named after its owner's pid. It appears by renaming a prepared directory,
 * which fails while another owner's file is inside; a dead owner's file can be removed without touching a successor's.
 */
async function acquireLock() {
  const prepared = `${lockDir}-${process.pid}`;
  for (const name of fs.readdirSync(at('.dev'))) {
    const waiter = /^\.ready-lock-(\d+)$/.exec(name);
    if (waiter && !isAlive(Number(waiter[1]))) fs.rmSync(at('.dev', name), { recursive: true, force: true });
  }
  fs.mkdirSync(prepared, { recursive: true });
  fs.writeFileSync(path.join(prepared, `${process.pid}`), '');
  const giveUpAt = Date.now() + LOCK_WAIT_MS;
  for (let announced = false; ; await sleep(100)) {
    try {
      fs.renameSync(prepared, lockDir);
      return;
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) throw error;
    }
    const owner = lockOwner();
    if (owner && isAlive(Number(owner))) {
      if (Date.now() > giveUpAt) {
        fs.rmSync(prepared, { recursive: true });
        throw new Error(
          `Process ${owner} has been installing or building for too long. If it is not, delete ${lockDir}.`,
        );
      }
      if (!announced) say(`Waiting for process ${owner}, which is installing or building ...`);
      announced = true;
    } else {
      if (owner) fs.rmSync(path.join(lockDir, owner), { force: true });
      removeIfEmpty(lockDir);
    }
  }
}

function lockOwner() {
  try {
    return fs.readdirSync(lockDir)[0];
  } catch {
    return undefined;
  }
}

function removeIfEmpty(folder) {
  try {
    fs.rmdirSync(folder);
  } catch {
    // Gone, or already the next owner's.
  }
}

function releaseLock() {
  fs.rmSync(path.join(lockDir, `${process.pid}`), { force: true });
  removeIfEmpty(lockDir);
}

async function ensureReady() {
  if (!fs.existsSync(at('src'))) return; // a production image brings its dependencies and dist
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MIN_NODE.major || (major === MIN_NODE.major && minor < MIN_NODE.minor)) {
    const needed = `${MIN_NODE.major}.${MIN_NODE.minor}.0`;
    throw new Error(`Node ${needed} or later is needed; this is Node ${process.versions.node} (${process.execPath}).`);
  }
  if (!pendingWork()) return;
  await acquireLock();
  try {
    const first = pendingWork();
    if (first?.step === 'install') install(first.dependencies);
    const next = pendingWork();
    if (next?.step === 'build') build(next.sources);
  } finally {
    releaseLock();
  }
}

try {
  await ensureReady();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
