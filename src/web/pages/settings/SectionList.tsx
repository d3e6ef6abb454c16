import { Link, useNavigate } from '@tanstack/react-router';
import type { Section } from './sections.js';
import styles from './Settings.module.css';

/** A list beside the section; on narrow screens a select above it. */
export function SectionList({ sections, current }: { sections: readonly Section[]; current: string }) {
  const navigate = useNavigate();
  const groups = [...new Set(sections.map(({ group }) => group))];
  const of = (name: string) => sections.filter(({ group }) => group === name);
  return (
    <>
      <nav className={styles.list} aria-label="Sections of the settings">
        {groups.map((name) => (
          <div key={name} role="group" aria-label={name}>
            <div className={styles.group}>{name}</div>
            {of(name).map((section) => (
              <Link
                key={section.id}
                to="/settings/$section"
                params={{ section: section.id }}
                onMouseEnter={() => void section.Section.preload?.()}
                {...(section.id === current ? { 'aria-current': 'page' as const } : {})}
              >
                {section.name}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <select
        className={styles.select}
        aria-label="Section of the settings"
        value={sections.some(({ id }) => id === current) ? current : ''}
        onChange={({ target }) => void navigate({ to: '/settings/$section', params: { section: target.value } })}
      >
        {!sections.some(({ id }) => id === current) && <option value="">Choose a section</option>}
        {groups.map((name) => (
          <optgroup key={name} label={name}>
            {of(name).map((section) => (
              <option key={section.id} value={section.id}>
                {section.name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </>
  );
}
