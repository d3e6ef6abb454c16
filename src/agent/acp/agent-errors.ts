import { RequestError } from '@agentclientprotocol/sdk';
import { cleanText, cutText, isRecord } from '../shared/bounds.js';
import { AgentFailed } from './agent-driver.js';
import type { LoginMethod } from './agent-hello.js';
import type { ChildExit } from './child-group.js';

const AUTH_REQUIRED = -32000;
const MAX_DETAIL = 2_000;

export function asksForLogin(error: unknown, methods: readonly LoginMethod[]): error is RequestError {
  if (!(error instanceof RequestError) || error.code !== AUTH_REQUIRED) return false;
  return methods.length > 0 || /auth|log ?in/i.test(error.message);
}

export function loginMessage({ message }: RequestError, methods: readonly LoginMethod[]): string {
  const names = methods.map(({ id, name }) => (name === id ? id : `${name} (${id})`)).join(', ');
  const offer = names === '' ? '' : ` It offers: ${cut(names)}.`;
  return `The agent wants to be logged in (${cut(message)}).${offer} Log in with its own program, or set its key.`;
}

/** `said` is the last output of the process. */
export function exitMessage(exit: ChildExit | null, said: string): string {
  const how = exit?.signal ? `was ended by ${exit.signal}` : `ended with status ${exit?.code ?? 'unknown'}`;
  return withWords(exit ? `The agent ${how}.` : 'The agent closed its output.', said);
}

export function explain(error: unknown, said = ''): AgentFailed {
  if (error instanceof RequestError) {
    const detail = detailOf(error.data);
    const text = detail === '' || error.message.includes(detail) ? error.message : `${error.message}: ${detail}`;
    return new AgentFailed(withWords(`The agent answered with an error: ${cut(text)}`, said), { cause: error });
  }
  if (error instanceof AgentFailed && said === '') return error;
  const message = error instanceof Error ? error.message : String(error);
  const Kind = error instanceof AgentFailed ? (error.constructor as typeof AgentFailed) : AgentFailed;
  return new Kind(withWords(message, said), { cause: error });
}

function detailOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!isRecord(data)) return '';
  const [detail = ''] = [data.details, data.detail, data.message].filter((value) => typeof value === 'string');
  return detail;
}

function withWords(message: string, said: string): string {
  return said === '' ? message : `${message} Its last words: ${cut(said)}`;
}

/** Keeps the end, where the cause usually is. */
function cut(text: string): string {
  const clean = cleanText(text).trim();
  return clean.length <= MAX_DETAIL ? clean : `…${cutText(clean.slice(-MAX_DETAIL), MAX_DETAIL)}`;
}
