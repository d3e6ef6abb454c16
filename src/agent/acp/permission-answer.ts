import type { PermissionOption, PermissionOptionKind, RequestPermissionOutcome } from '@agentclientprotocol/sdk';

/** Each use is decided separately, so a lasting permission is the last choice. */
const ALLOWING: readonly PermissionOptionKind[] = ['allow_once', 'allow_always'];
const DENYING: readonly PermissionOptionKind[] = ['reject_once', 'reject_always'];

export const CANCELLED: RequestPermissionOutcome = { outcome: 'cancelled' };

export function answerOf(allow: boolean, options: readonly PermissionOption[]): RequestPermissionOutcome {
  const kinds = allow ? ALLOWING : DENYING;
  const [option] = kinds.flatMap((kind) => options.find((one) => one.kind === kind) ?? []);
  return option ? { outcome: 'selected', optionId: option.optionId } : CANCELLED;
}
