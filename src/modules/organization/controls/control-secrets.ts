import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '../../../common/errors/domain-error.js';
import { SecretBox } from '../../../database/secret-box.js';
import type { CustomModel, EnterpriseControls } from './enterprise-controls.js';

const MASK = '****';
const SHOWN_END = 4;
const SHORTEST_WITH_SHOWN_END = 12;
const VARIABLE = /\$\{\w+\}/;

type Change = (secret: string, field: string) => Promise<string>;

/** Keeps literal secrets out of sight: sealed where they are stored, masked where they are shown. */
@Injectable()
export class ControlSecrets {
  constructor(private readonly box: SecretBox) {}

  /** What is stored. A value that is the mask of a secret in `previous` keeps that secret. */
  async seal<T extends EnterpriseControls>(settings: T, previous: EnterpriseControls | null): Promise<T> {
    const known = new Map<string, Set<string>>();
    if (previous) {
      await mapSecrets(previous, async (sealed) => {
        const secret = await this.box.open(sealed);
        known.set(mask(secret), (known.get(mask(secret)) ?? new Set()).add(secret));
        return sealed;
      });
    }
    return mapSecrets(settings, (value, field) =>
      this.box.seal(value.startsWith(MASK) ? kept(known, value, field) : value),
    );
  }

  /** What is shown. */
  mask<T extends EnterpriseControls>(stored: T): Promise<T> {
    return mapSecrets(stored, async (sealed) => mask(await this.box.open(sealed)));
  }

  /** What an agent works with. */
  open<T extends EnterpriseControls>(stored: T): Promise<T> {
    return mapSecrets(stored, (sealed) => this.box.open(sealed));
  }
}

function kept(known: Map<string, Set<string>>, value: string, field: string): string {
  const [secret, another] = known.get(value) ?? [];
  if (secret === undefined || another !== undefined) {
    throw InvalidRequestError.ofField(
      field,
      'looks masked but is not the mask of one stored secret; send the secret itself',
    );
  }
  return secret;
}

/** The end of a long secret tells it apart from others; of a short one, that would give too much away. */
function mask(secret: string): string {
  return secret.length < SHORTEST_WITH_SHOWN_END ? MASK : MASK + secret.slice(-SHOWN_END);
}

/** Applies `change` to every literal secret of the settings: keys, header values, passwords in URLs. */
async function mapSecrets<T extends EnterpriseControls>(settings: T, change: Change): Promise<T> {
  if (!settings.customModels) return settings;
  const customModels: CustomModel[] = [];
  for (const [i, model] of settings.customModels.entries()) {
    customModels.push(await mapModelSecrets(model, `customModels.${i}`, change));
  }
  return { ...settings, customModels };
}

async function mapModelSecrets(model: CustomModel, path: string, change: Change): Promise<CustomModel> {
  const copy = { ...model };
  if (isLiteral(model.apiKey)) copy.apiKey = await change(model.apiKey, `${path}.apiKey`);
  if (model.baseUrl !== undefined) copy.baseUrl = await mapPassword(model.baseUrl, `${path}.baseUrl`, change);
  if (model.extraHeaders) {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(model.extraHeaders)) {
      headers[name] = isLiteral(value) ? await change(value, `${path}.extraHeaders.${name}`) : value;
    }
    copy.extraHeaders = headers;
  }
  return copy;
}

async function mapPassword(url: string, field: string, change: Change): Promise<string> {
  const [, before, password, after] = /^([a-z]+:\/\/[^/@:]*:)([^/@]+)(@.*)$/i.exec(url) ?? [];
  if (before === undefined || password === undefined || !isLiteral(password)) return url;
  return before + (await change(password, field)) + (after ?? '');
}

/** A reference such as `${API_KEY}` is no secret: it names where the agent finds one. */
function isLiteral(value: string | undefined): value is string {
  return value !== undefined && value !== '' && !VARIABLE.test(value);
}
