import { useMe } from '../../api/me.js';
import { Asked } from '../../ui/Asked.js';
import { MyOverview } from './MyOverview.js';
import { OrganizationOverview } from './OrganizationOverview.js';

/** What the organization did, or for members what they did themselves. */
export function OverviewPage() {
  const me = useMe();
  return (
    <>
      <h1>Overview</h1>
      <Asked query={me}>{({ role }) => (role === 'member' ? <MyOverview /> : <OrganizationOverview />)}</Asked>
    </>
  );
}
