import { Flag, OneOf, Optional, Uuid } from '../../common/validation/rules.js';
import { ACCESS_KINDS, type ComputerEntity } from './computer.entity.js';

/** What to change about the use of a computer; a field that is left out stays as it is. */
export class ChangeAccessRequest {
  /**
   * `private`: only the user who registered it runs sessions there; `organization`: everybody does. Set by that user or an
   * owner. Messages of others that still wait when it becomes private end with an error.
   * @example "organization"
   */
  @Optional()
  @OneOf(ACCESS_KINDS)
  access?: ComputerEntity['access'];

  /**
   * Whether literal secrets of the organization's controls travel there. Set by an owner.
   * @example true
   */
  @Optional()
  @Flag()
  trusted?: boolean;

  /**
   * Whose computer it is from now on, by user id: the way to take over one that is left behind. Set by an owner. Its token
   * and its agent's connection end.
   * @example "01980f5e-7c1a-7e3b-9d2f-4a6b8c0d1e2f"
   */
  @Optional()
  @Uuid()
  registeredBy?: string;
}

/** Who may use a computer, and what it is trusted with. */
export class ComputerAccessResponse {
  /**
   * `private`: only the user who registered it runs sessions there; `organization`: everybody does.
   * @example "private"
   */
  access: 'private' | 'organization';

  /**
   * Whether literal secrets of the organization's controls travel there with the turns.
   * @example false
   */
  trusted: boolean;

  /**
   * The user who registered it and connects its agent, by id.
   * @example "01980f5e-7c1a-7e3b-9d2f-4a6b8c0d1e2f"
   */
  registeredBy: string;
}

/** A computer token, shown this once. */
export class ComputerTokenResponse {
  /**
   * The token. It can only speak for this computer: connect as its agent, take its turns and report their usage.
   * @example "apc_4Xh2mQpZ8sLk0vNcR7tYw1uBf6dGj9eAi3oTqUxEyWz0000Kd81"
   */
  token: string;
}

export function toComputerAccessResponse({ access, trusted, registeredBy }: ComputerEntity): ComputerAccessResponse {
  return { access, trusted, registeredBy };
}
