import { Link } from '@tanstack/react-router';
import styles from './parts.module.css';

/** A person by name and address, one click from what they did. */
export function PersonLink({ id, name, email }: { id: string; name?: string; email: string }) {
  const shown = name || email || 'Erased person';
  return (
    <span className={styles.who}>
      <Link to="/people/$userId" params={{ userId: id }}>
        {shown}
      </Link>
      {email && email !== shown && <span title={email}>{email}</span>}
    </span>
  );
}
