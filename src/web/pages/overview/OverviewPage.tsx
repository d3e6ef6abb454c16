import { useMe } from '../../api/me.js';
import { Asked } from '../../ui/Asked.js';
import { Page } from '../../ui/Page.js';
import { GuestOverview } from './GuestOverview.js';
import { MyOverview } from './MyOverview.js';
import { OrganizationOverview } from './OrganizationOverview.js';

/** What the organization did, or for members what they did themselves. */
export function OverviewPage() {
  return (
    <Page title="Overview">
      <Asked query={useMe()}>
        {(me) => {
          if (me.role === 'guest') return <GuestOverview me={me} />;
          return me.role === 'member' ? <MyOverview me={me} /> : <OrganizationOverview />;
        }}
      </Asked>
    </Page>
  );
}
