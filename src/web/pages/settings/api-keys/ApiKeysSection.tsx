import { useState } from 'react';
import { type ApiKey, useApiKeys } from '../../../api/api-keys.js';
import { useMe } from '../../../api/me.js';
import { Asked } from '../../../ui/Asked.js';
import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import { LoadMore } from '../../../ui/LoadMore.js';
import { ApiKeysTable } from './ApiKeysTable.js';
import { CreateApiKey } from './CreateApiKey.js';
import { RevokeApiKey } from './RevokeApiKey.js';

export function ApiKeysSection() {
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const isOwner = useMe().data?.role === 'owner';
  return (
    <Card
      title={isOwner ? 'API keys of everybody' : 'My API keys'}
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          New API key
        </Button>
      }
    >
      <Asked query={useApiKeys()} empty={({ rows }) => (rows.length === 0 ? <NoKeys /> : null)}>
        {(list) => (
          <>
            <ApiKeysTable keys={list.rows} onRevoke={setRevoked} />
            <LoadMore list={list} />
          </>
        )}
      </Asked>
      {isCreating && <CreateApiKey isOwner={isOwner} onClose={() => setCreating(false)} />}
      {revoked && <RevokeApiKey apiKey={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  );
}

function NoKeys() {
  return (
    <>
      <strong>No API keys</strong>
      <p>Programs sign in with one. For the telemetry of an agent, choose a key that may only send telemetry.</p>
    </>
  );
}
