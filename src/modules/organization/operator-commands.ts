import { Injectable } from '@nestjs/common';
import { Role } from '../../common/access/role.enum.js';
import { ConflictError, InvalidRequestError, NotFoundError } from '../../common/errors/domain-error.js';
import { isEmailAddress } from '../../common/validation/email-address.js';
import { isUuid } from '../../common/validation/predicates.js';
import { OrgDatabase } from '../../database/org-database.js';
import type { ApiKeyScope } from './api-keys/api-key.entity.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { ControlsService } from './controls/controls.service.js';
import { StoredSecretsService } from './controls/stored-secrets.service.js';
import { OrganizationsService } from './organizations/organizations.service.js';
import { UsersService } from './users/users.service.js';

/** Commands of an operator; each returns the text to print. */
@Injectable()
export class OperatorCommands {
  constructor(
    private readonly db: OrgDatabase,
    private readonly organizations: OrganizationsService,
    private readonly users: UsersService,
    private readonly controls: ControlsService,
    private readonly apiKeys: ApiKeysService,
    private readonly apiKeyRows: ApiKeysRepository,
    private readonly storedSecrets: StoredSecretsService,
  ) {}

  async createOrganization(input: { name: string; ownerEmail: string; externalId?: string }): Promise<string> {
    if (!isEmailAddress(input.ownerEmail)) throw new InvalidRequestError('--owner-email must be an e-mail address');
    const { organization, apiKey } = await this.organizations.create(input);
    return [
      `Organization "${organization.name}" (${organization.id}) was created, owned by ${input.ownerEmail}.`,
      'Its API key, shown only now:',
      apiKey.key,
    ].join('\n');
  }

  async createKey(input: { org?: string; email: string; name: string; scope: ApiKeyScope }): Promise<string> {
    const { id: orgId } = await this.organizations.resolve(input.org);
    const user = await this.users.getByEmail(orgId, input.email);
    if (user.deactivatedAt) throw new ConflictError(`${input.email} is deactivated and cannot have API keys.`);
    const { entity, key } = await this.db.transaction(orgId, (tx) =>
      this.apiKeys.issue(tx, orgId, null, {
        name: input.name,
        userId: user.id,
        expiresAt: null,
        scope: input.scope,
        createdBy: user.id,
      }),
    );
    const power = input.scope === 'full' ? user.role : input.scope;
    return `API key ${entity.id} of ${input.email} (${power}), shown only now:\n${key}`;
  }

  async revokeKey(input: { org?: string; id: string }): Promise<string> {
    const { id: orgId } = await this.organizations.resolve(input.org);
    const key = isUuid(input.id) ? await this.apiKeyRows.findById(orgId, input.id) : null;
    if (!key) throw new NotFoundError('API key', input.id);
    await this.apiKeys.delete(key, null);
    return `API key ${key.id} ("${key.name}") is revoked.`;
  }

  async resetControls(input: { org?: string }): Promise<string> {
    const organization = await this.organizations.resolve(input.org);
    const { revision } = await this.controls.reset(organization.id);
    return `The enterprise controls of "${organization.name}" are empty again (revision ${revision}).`;
  }

  /** After it, the old key in SECRETS_KEY_PREVIOUS is not needed any more. */
  async resealSecrets(): Promise<string> {
    const { secrets, revisions, unreadable } = await this.storedSecrets.reseal();
    const done = `${secrets} secrets in ${revisions} revisions were sealed with the key in SECRETS_KEY.`;
    if (unreadable === 0) return `${done} SECRETS_KEY_PREVIOUS is not needed any more.`;
    return `${done} ${unreadable} could not be opened with any key and stay as they are.`;
  }

  async setRole(input: { org?: string; email: string; role: Role }): Promise<string> {
    const { id: orgId } = await this.organizations.resolve(input.org);
    const user = await this.users.getByEmail(orgId, input.email);
    await this.users.update(orgId, null, user.id, { role: input.role });
    return `${input.email} is now ${input.role} (was ${user.role}).`;
  }
}
