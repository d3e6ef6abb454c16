import { readShellLine } from '../../protocol/shell/shell-line.js';
import { isAllowed } from './command-rules.js';

/** They change nothing, whatever their arguments, apart from the options below. */
const READING = [
  ...'basename cat cd cut diff dirname du df echo false find grep head id ls nl printf pwd readlink realpath rg'.split(
    ' ',
  ),
  ...'stat tail test tr true type uname wc whereis which whoami'.split(' '),
  ...'git status,git log,git diff,git show,git ls-files,git rev-parse,git blame,git describe'.split(','),
];
const CHANGING_OPTION =
  /^(?:-exec|-execdir|-ok|-okdir|-delete|-fprint.*|-fls|--output.*|--pre(?:=.*)?|--ext-diff|--textconv|--hostname-bin.*)$/;

/** Whether a command is plainly one that only reads; agents run such commands without asking. */
export function isReadingCommand(command: string): boolean {
  if (!isAllowed(command, READING)) return false;
  return !readShellLine(command).commands.some((words) => words.some((word) => CHANGING_OPTION.test(word)));
}
