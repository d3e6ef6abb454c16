import { Link } from '@tanstack/react-router';
import { Page } from '../ui/Page.js';

export function NoSuchPage() {
  return (
    <Page title="There is no such page">
      <p>
        The address may be mistyped, or the page has moved. <Link to="/">To the overview</Link>
      </p>
    </Page>
  );
}
