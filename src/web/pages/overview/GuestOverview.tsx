import type { Me } from '../../api/me.js';
import { Card } from '../../ui/Card.js';

export function GuestOverview({ me }: { me: Me }) {
  return (
    <Card title="You are a guest">
      <p>
        {me.user.email} is a guest of {me.organization.name}: there are no figures and no sessions to see. An owner can
        make you a member.
      </p>
    </Card>
  );
}
