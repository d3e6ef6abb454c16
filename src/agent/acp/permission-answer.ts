import type { PermissionOption, PermissionOptionKind, RequestPermissionOutcome } from '@agentclientprotocol/sdk';

/** Each use is to be judged, so what allows more than one is chosen only when there is nothing else. */
const ALLOWING: readonly PermissionOptionKind[] = ['allow_once', 'allow_always'];
const DENYING: readonly PermissionOptionKind[] = ['reject_once', 'reject_always'];

export const CANCELLED: RequestPermissionOutcome = { outcome: 'cancelled' };

/** The option that says yes or no. */
export function answerOf(allow: boolean, options: readonly PermissionOption[]): RequestPermissionOutcome {
  const kinds = allow ? ALLOWING : DENYING;
  const [option] = kinds.flatMap((kind) => options.find((one) => one.kind === kind) ?? []);
  return option ? { outcome: 'selected', optionId: option.optionId } : CANCELLED;
}
