import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/new-id.js';
import { Role } from '../../../common/access/role.enum.js';
import { ConflictError, InvalidRequestError, NotFoundError } from '../../../common/errors/domain-error.js';
import { Clock } from '../../../common/time/clock.js';
import type { SqlTransaction } from '../../../database/sql-transaction.js';
import { SystemDatabase } from '../../../database/system-database.js';
import { ApiKeysService, type IssuedApiKey } from '../api-keys/api-keys.service.js';
import { UserEntity } from '../users/user.entity.js';
import { UsersService } from '../users/users.service.js';
import { OrganizationEntity } from './organization.entity.js';
import { OrganizationsRepository } from './organizations.repository.js';

export interface NewOrganization {
  name: string;
  ownerEmail: string;
  externalId?: string | null;
  /** Chosen by the operator; generated when absent. */
  apiKey?: string | null;
  isDemo?: boolean;
}

export interface FoundedOrganization {
  organization: OrganizationEntity;
  owner: UserEntity;
}

export interface CreatedOrganization extends FoundedOrganization {
  apiKey: IssuedApiKey;
}

@Injectable()
export class OrganizationsService {
  constructor(
    private readonly system: SystemDatabase,
    private readonly organizations: OrganizationsRepository,
    private readonly users: UsersService,
    private readonly apiKeys: ApiKeysService,
    private readonly clock: Clock,
  ) {}

  async get(orgId: string): Promise<OrganizationEntity> {
    const organization = await this.organizations.findById(orgId);
    if (!organization) throw new NotFoundError('organization', orgId);
    return organization;
  }

  async find(reference: string): Promise<OrganizationEntity | null> {
    return (
      (await this.organizations.findByIdOrExternalId(reference)) ?? (await this.organizations.findByName(reference))
    );
  }

  /** Without a reference, the only organization; the demo does not count. */
  async resolve(reference?: string): Promise<OrganizationEntity> {
    if (reference === undefined) return this.getOnly();
    const organization = await this.find(reference);
    if (!organization) throw new NotFoundError('organization', reference);
    return organization;
  }

  /** Adds an organization with its owner and the owner's first API key. */
  create(input: NewOrganization): Promise<CreatedOrganization> {
    return this.system.transaction(async (tx) => {
      const others = await this.organizations.lockAdditions(tx);
      if (others.some((other) => other.name === input.name)) {
        throw new ConflictError(`There is an organization "${input.name}" already.`);
      }
      if (input.externalId && others.some((other) => other.externalId === input.externalId)) {
        throw new ConflictError(`There is an organization with the external id "${input.externalId}" already.`);
      }
      return this.insertWithKey(tx, input);
    });
  }

  /** Adds the first organization once, even when several replicas start together. */
  createFirst(input: NewOrganization): Promise<CreatedOrganization | null> {
    return this.system.transaction(async (tx) => {
      const others = await this.organizations.lockAdditions(tx);
      return others.some(({ isDemo }) => !isDemo) ? null : this.insertWithKey(tx, input);
    });
  }

  findDemo(): Promise<OrganizationEntity | null> {
    return this.organizations.findDemo();
  }

  /** The organization of the demo, which is added if there is none. `within`: what belongs to the same transaction. */
  openDemo(
    { name, ownerEmail }: NewOrganization,
    within: (tx: SqlTransaction, demo: OrganizationEntity) => Promise<void> = () => Promise.resolve(),
  ): Promise<FoundedOrganization> {
    return this.system.transaction(async (tx) => {
      const others = await this.organizations.lockAdditions(tx);
      const demo = others.find(({ isDemo }) => isDemo);
      const opened = demo
        ? { organization: demo, owner: await this.users.getFirstOwner(demo.id) }
        : await this.insert(tx, { name: freeName(name, others), ownerEmail, isDemo: true });
      await within(tx, opened.organization);
      return opened;
    });
  }

  /** null when there is none, or several; the demo does not count. */
  async findOnlyId(): Promise<string | null> {
    const [only, another] = await this.organizations.list(2);
    return only && !another ? only.id : null;
  }

  private async getOnly(): Promise<OrganizationEntity> {
    const [only, another] = await this.organizations.list(2);
    if (!only) throw new InvalidRequestError('There is no organization yet.');
    if (another) throw new InvalidRequestError('There are several organizations; say which one with --org.');
    return only;
  }

  private async insertWithKey(tx: SqlTransaction, input: NewOrganization): Promise<CreatedOrganization> {
    const { organization, owner } = await this.insert(tx, input);
    const key = { name: 'first key of the owner', userId: owner.id, expiresAt: null, createdBy: owner.id };
    const apiKey = await this.apiKeys.issue(tx, organization.id, null, key, input.apiKey ?? undefined);
    return { organization, owner, apiKey };
  }

  private async insert(tx: SqlTransaction, input: NewOrganization): Promise<FoundedOrganization> {
    const organization: OrganizationEntity = {
      id: newId(),
      name: input.name,
      externalId: input.externalId ?? null,
      isDemo: input.isDemo ?? false,
      createdAt: this.clock.now(),
    };
    await this.organizations.insert(tx, organization);
    const owner = await this.users.create(tx, organization.id, null, { email: input.ownerEmail, role: Role.Owner });
    return { organization, owner };
  }
}

function freeName(name: string, others: OrganizationEntity[]): string {
  const taken = new Set(others.map((other) => other.name));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name} ${number}`;
  return free;
}
