import { useMe } from '../../api/me.js';
import { useUser } from '../../api/users.js';

/** Who it is, as far as the reader may know. */
export function PersonName({ userId }: { userId: string }) {
  const me = useMe();
  const user = useUser(userId);
  if (me.data?.user.id === userId) return 'you';
  if (user.data) return user.data.email || 'an erased person';
  return user.isError ? 'somebody else' : '…';
}
