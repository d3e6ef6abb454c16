import { OneOf } from '../../../common/validation/rules.js';
import { type OrganizationSettings, SESSION_CONTENT_ACCESS } from './organization-settings.repository.js';

/** Settings of the organization. */
export class OrganizationSettingsRequest {
  /**
   * Who may read the messages of a session: `own`, its user alone; `owners`, owners too, each look an entry in the audit
   * log.
   * @example "own"
   */
  @OneOf(SESSION_CONTENT_ACCESS)
  sessionContentAccess: OrganizationSettings['sessionContentAccess'];
}

/** Settings of the organization. */
export class OrganizationSettingsResponse {
  /**
   * Who may read the messages of a session: `own`, its user alone; `owners`, owners too, each look an entry in the audit
   * log.
   * @example "own"
   */
  sessionContentAccess: 'own' | 'owners';
}
