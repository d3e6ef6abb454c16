import { Link } from '@tanstack/react-router';

export function Nothing() {
  return (
    <>
      <strong>Nothing in this range</strong>
      <p>
        Choose a longer range, or <Link to="/connect">connect an agent</Link>. What happens today is on the{' '}
        <Link to="/">overview</Link> at once, and here after midnight (UTC).
      </p>
    </>
  );
}
