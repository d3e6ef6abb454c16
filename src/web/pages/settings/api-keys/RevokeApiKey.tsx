import { useAction } from '../../../api/action.js';
import type { ApiKey } from '../../../api/api-keys.js';
import { api, bodyOf } from '../../../api/client.js';
import { Confirm } from '../../../ui/Confirm.js';

export function RevokeApiKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const action = useAction({
    run: () => bodyOf(api.DELETE('/api/v0/api-keys/{keyId}', { params: { path: { keyId: apiKey.id } } })),
    changes: ['api-keys'],
    done: 'Revoked. It stops working within a second.',
    onDone: onClose,
  });
  return (
    <Confirm
      title={`Revoke ${apiKey.name}`}
      verb="Revoke"
      isRunning={action.isPending}
      onConfirm={() => action.mutate()}
      onClose={onClose}
    >
      Whatever uses {apiKey.prefix}… of {apiKey.userEmail} is refused within a second, browsers that signed in with it
      included. This cannot be undone.
    </Confirm>
  );
}
