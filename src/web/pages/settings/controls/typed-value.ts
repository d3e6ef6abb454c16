import type { Json } from '../json-diff.js';
import type { ControlField } from './field-kinds.js';

export interface Typed {
  /** Undefined: not set. */
  readonly value: Json | undefined;
  readonly problem?: string;
}

/** What is typed, as a value of the settings. */
export function readTyped(field: ControlField, text: string): Typed {
  if (text.trim() === '') return { value: undefined };
  switch (field.kind) {
    case 'flag':
      return { value: text === 'true' };
    case 'choice':
    case 'text':
      return { value: text.trim() };
    case 'list':
      return { value: linesOf(text) };
    case 'number':
      return readNumber(text.trim(), field.min, field.max);
    case 'json':
      return readJson(text);
  }
}

export function showTyped({ kind }: ControlField, value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function readNumber(text: string, min: number, max: number): Typed {
  const value = Number(text);
  const isWithin = /^\d+$/.test(text) && value >= min && value <= max;
  return isWithin ? { value } : { value: undefined, problem: `must be a whole number from ${min} to ${max}` };
}

export function readJson(text: string): Typed {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { value: undefined, problem: error instanceof Error ? error.message : 'is not JSON' };
  }
}
