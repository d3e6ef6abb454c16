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

export function exitMessage(exit: ChildExit | null, lastOutput: string): string {
  const how = exit?.signal ? `was ended by ${exit.signal}` : `ended with status ${exit?.code ?? 'unknown'}`;
  return withOutput(exit ? `The agent ${how}.` : 'The agent closed its output.', lastOutput);
}

export function explain(error: unknown, lastOutput = ''): AgentFailed {
  if (error instanceof RequestError) {
    const detail = detailOf(error.data);
    const text = detail === '' || error.message.includes(detail) ? error.message : `${error.message}: ${detail}`;
    return new AgentFailed(withOutput(`The agent answered with an error: ${cut(text)}`, lastOutput), { cause: error });
  }
  if (error instanceof AgentFailed && lastOutput === '') return error;
  const message = error instanceof Error ? error.message : String(error);
  const Kind = error instanceof AgentFailed ? (error.constructor as typeof AgentFailed) : AgentFailed;
  return new Kind(withOutput(message, lastOutput), { cause: error });
}

function detailOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!isRecord(data)) return '';
  const [detail = ''] = [data.details, data.detail, data.message].filter((value) => typeof value === 'string');
  return detail;
}

function withOutput(message: string, lastOutput: string): string {
  return lastOutput === '' ? message : `${message} Its last words: ${cut(lastOutput)}`;
}

/** Keeps the end, where the cause usually is. */
function cut(text: string): string {
  const clean = cleanText(text).trim();
  return clean.length <= MAX_DETAIL ? clean : `…${cutText(clean.slice(-MAX_DETAIL), MAX_DETAIL)}`;
}
