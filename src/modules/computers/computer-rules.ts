import type { Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ForbiddenError, InvalidRequestError } from '../../common/errors/domain-error.js';
import type { EnterpriseControls } from '../organization/controls/enterprise-controls.js';
import { type ComputerEntity, isOpenTo } from './computer.entity.js';

export function requireOpen(computer: Pick<ComputerEntity, 'name' | 'access' | 'registeredBy'>, userId: string): void {
  if (isOpenTo(computer, userId)) return;
  throw new ForbiddenError(
    `The computer "${computer.name}" is private to the user who registered it. They, or an owner, can share it.`,
  );
}

export function requireChangeable(caller: Principal, computer: ComputerEntity): void {
  if (caller.role === Role.Member && computer.registeredBy !== caller.userId) {
    throw new ForbiddenError('Members may change only computers that they registered.');
  }
}

export function requireOwnComputersAllowed({ byomComputersEnabled }: EnterpriseControls): void {
  if (byomComputersEnabled !== false) return;
  throw new ForbiddenError('The policy byomComputersEnabled does not allow to add or connect computers of your own.');
}

export function requireSupportedProvider(provider: ComputerEntity['providerType']): void {
  if (provider !== 'managed') return;
  throw InvalidRequestError.ofField(
    'providerType',
    'managed computers need a provider, and none is built in; use byom',
  );
}

/** In the path of a URL these two are directions, not names. */
export function requireUsableName(name: string): void {
  if (name === '.' || name === '..') throw InvalidRequestError.ofField('name', 'must not be "." or ".."');
}
