import { useState } from 'react';
import type { components } from 'openapi-types';
import { useAction } from '../../../api/action.js';
import { api, bodyOf } from '../../../api/client.js';
import { useOrganizationSettings } from '../../../api/organization-settings.js';
import { Asked } from '../../../ui/Asked.js';
import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import styles from '../parts.module.css';
import own from './Organization.module.css';

type Settings = components['schemas']['OrganizationSettingsResponse'];
type ContentAccess = Settings['sessionContentAccess'];

const MEANINGS: readonly (readonly [ContentAccess, string, string])[] = [
  [
    'own',
    'Only the person whose session it is',
    'Owners and managers see that a session took place, how long, with which model and what it cost; never its title or messages.',
  ],
  [
    'owners',
    'That person, and owners',
    'Owners may open the messages of everybody. Each look is an entry in the audit log with who, whose and when. Managers still see none.',
  ],
];

export function OrganizationSection() {
  const query = useOrganizationSettings();
  return (
    <Card title="Who may read sessions">
      <Asked query={query}>
        {(settings) => <ContentAccessForm key={settings.sessionContentAccess} settings={settings} />}
      </Asked>
    </Card>
  );
}

function ContentAccessForm({ settings }: { settings: Settings }) {
  const [access, setAccess] = useState(settings.sessionContentAccess);
  const action = useAction({
    run: () =>
      bodyOf(api.PUT('/api/v0/organization/settings', { body: { ...settings, sessionContentAccess: access } })),
    changes: ['organization-settings'],
    done: 'Saved. It holds from the next request on.',
  });
  return (
    <div className={styles.form}>
      <fieldset className={own.options}>
        <legend className="visually-hidden">Who may read the messages of a session</legend>
        {MEANINGS.map(([value, name, meaning]) => (
          <label key={value} className={own.option}>
            <input type="radio" name="access" checked={access === value} onChange={() => setAccess(value)} />
            <span>
              <strong>{name}</strong>
              <span className={styles.note}>{meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <p className={styles.note}>Tell your people before you change this. The change itself is in the audit log.</p>
      <div className={styles.end}>
        <Button
          kind="primary"
          disabled={access === settings.sessionContentAccess || action.isPending}
          onClick={() => action.mutate()}
        >
          Save
        </Button>
      </div>
    </div>
  );
}
