import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSummary, useToday } from '../../api/analytics.js';
import type { Me } from '../../api/me.js';
import { periodOf } from '../search.js';

/** After a one-time link: where nothing has happened yet, the welcome page is of more use than empty charts. */
export function FirstRun({ me }: { me: Me }) {
  const [isDecided, setDecided] = useState(false);
  const isStart = useRouterState({ select: ({ location }) => location.pathname === '/' });
  const isAsked = !isDecided && isStart && !me.organization.demo && (me.role === 'owner' || me.role === 'manager');
  return isAsked ? <Look onDecided={() => setDecided(true)} /> : null;
}

function Look({ onDecided }: { onDecided: () => void }) {
  const navigate = useNavigate();
  const today = useToday().data;
  const month = useSummary(periodOf({ cmp: 'none' })).data;
  useEffect(() => {
    if (!today || !month) return;
    onDecided();
    if (today.data.active_people === 0 && month.data.current.active_people === 0) {
      void navigate({ to: '/welcome', replace: true });
    }
  }, [today, month, navigate, onDecided]);
  return null;
}
