import type { Setup } from './setups.js';

export const SHELLS = { sh: 'macOS, Linux (bash, zsh)', powershell: 'Windows (PowerShell)' } as const;
export type Shell = keyof typeof SHELLS;

/** One block to paste into a shell. Values are addresses of this service and keys: they hold no quotes. */
export function blockOf({ env, json, lines }: Setup, shell: Shell): string {
  const write = shell === 'sh' ? SH : POWERSHELL;
  return [
    ...(json ? [write.script(mergeScript(json.file, json.values))] : []),
    ...(lines ? [write.append(lines.file, lines.text)] : []),
    ...env.map(([name, value]) => write.variable(name, value)),
  ].join('\n');
}

const SH = {
  variable: (name: string, value: string) => `export ${name}="${value}"`,
  script: (code: string) => `node - <<'END'\n${code}\nEND`,
  append: (file: string, text: string) => `mkdir -p ~/${folderOf(file)} && cat >> ~/${file} <<'END'\n\n${text}\nEND`,
};

const POWERSHELL = {
  variable: (name: string, value: string) => `$env:${name} = "${value}"`,
  script: (code: string) => `@'\n${code}\n'@ | node -`,
  append: (file: string, text: string) =>
    `New-Item -ItemType Directory -Force "$HOME/${folderOf(file)}" | Out-Null\n` +
    `Add-Content "$HOME/${file}" @'\n\n${text}\n'@`,
};

/** Keeps what is in the file already; a file that is no plain JSON is left alone, with an error. */
function mergeScript(file: string, values: object): string {
  return `const fs = require("fs"), path = require("path");
const file = path.join(require("os").homedir(), ${JSON.stringify(file)});
const had = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
const add = ${JSON.stringify(values)};
for (const name in add) had[name] = { ...had[name], ...add[name] };
fs.mkdirSync(path.dirname(file), { recursive: true });
fs.writeFileSync(file, JSON.stringify(had, null, 2) + "\\n");`;
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'));
}
