/** How a field of the controls is edited. */
export type ControlField = {
  /** Where it is in the settings, such as `modelPolicy.allowedModelIds`. */
  readonly path: string;
  readonly label: string;
  readonly hint: string;
} & (
  | { readonly kind: 'flag' | 'text' | 'list' | 'json' }
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
);

export interface ControlGroup {
  readonly name: string;
  readonly fields: readonly ControlField[];
}

type Plain = (path: string, label: string, hint: string) => ControlField;

export const flag: Plain = (path, label, hint) => ({ kind: 'flag', path, label, hint });
export const text: Plain = (path, label, hint) => ({ kind: 'text', path, label, hint });
/** Of texts. */
export const list: Plain = (path, label, hint) => ({ kind: 'list', path, label, hint });
/** What is too rich for a field of its own. */
export const json: Plain = (path, label, hint) => ({ kind: 'json', path, label, hint });

export function number(path: string, label: string, hint: string, min: number, max: number): ControlField {
  return { kind: 'number', path, label, hint, min, max };
}

export function choice(path: string, label: string, hint: string, options: readonly string[]): ControlField {
  return { kind: 'choice', path, label, hint, options };
}
