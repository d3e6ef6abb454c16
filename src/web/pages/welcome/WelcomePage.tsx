import { Link } from '@tanstack/react-router';
import { useMe } from '../../api/me.js';
import { Card } from '../../ui/Card.js';
import { Page } from '../../ui/Page.js';
import { DemoCard } from './DemoCard.js';
import styles from './Welcome.module.css';

/** The first page of a new installation. */
export function WelcomePage() {
  const me = useMe().data;
  return (
    <Page title="Welcome">
      <p className={styles.lead}>
        This is where you see what your coding agents do, what they cost, and where you run them. Begin with your own
        agent, or look at invented figures first.
      </p>
      <div className={styles.ways}>
        <Card title="Connect an agent">
          <div className={styles.way}>
            <p>
              You use Claude Code, Gemini CLI, Codex or opencode already: paste one block, and the next thing that you
              ask it shows in today’s chart.
            </p>
            <Link to="/connect" className={styles.primary}>
              Connect an agent
            </Link>
          </div>
        </Card>
        {me?.role === 'owner' && !me.organization.demo && <DemoCard />}
        <Card title="Run agents from here">
          <div className={styles.way}>
            <p>A machine of yours becomes a computer on which sessions run, with your rules about what they may do.</p>
            <Link to="/computers" search={(now) => ({ ...now, connect: 'new' })} className={styles.plain}>
              Connect a computer
            </Link>
          </div>
        </Card>
      </div>
    </Page>
  );
}
