const SHELL = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/;
const SCRIPT_OPTION = /^-[a-z]*c[a-z]*$/;
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

export function isAssignment(word: string): boolean {
  return ASSIGNMENT.test(word);
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

/** The script of `bash -c script`, `sh -lc script` and the like; null for any other command. */
export function shellScript([program = '', ...args]: readonly string[]): string | null {
  if (!SHELL.test(program)) return null;
  const option = args.findIndex((word) => SCRIPT_OPTION.test(word));
  return option === -1 ? null : (args[option + 1] ?? null);
}
