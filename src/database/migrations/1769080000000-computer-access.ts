import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Upgraded {
  organization: string;
  name: string;
  id: string;
  access: string;
  trusted: boolean;
}

/**
 * Who may use a computer, and whether it receives secrets. Existing use stays possible: a computer on which others have
 * sessions stays open to the organization, and one registered by an owner still receives the secrets.
 */
export class ComputerAccess1769080000000 implements MigrationInterface {
  name = 'ComputerAccess1769080000000';
  /** Reported to the operator. */
  readonly notes: string[] = [];

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE computers
        ADD COLUMN access text NOT NULL DEFAULT 'private' CHECK (access IN ('private', 'organization')),
        ADD COLUMN trusted boolean NOT NULL DEFAULT false`);
    await db.query(`CREATE INDEX computers_of_user ON computers (org_id, registered_by)`);
    await db.query(`
      UPDATE computers c SET access = 'organization'
       WHERE EXISTS (SELECT FROM sessions s
                      WHERE s.org_id = c.org_id AND s.computer_id = c.id AND s.user_id <> c.registered_by)`);
    await db.query(`
      UPDATE computers c SET trusted = true FROM users u
       WHERE u.org_id = c.org_id AND u.id = c.registered_by AND u.role = 'owner'`);
    const upgraded = (await db.query(`
      SELECT o.name AS organization, c.name, c.id, c.access, c.trusted
        FROM computers c JOIN organizations o ON o.id = c.org_id ORDER BY o.name, c.name`)) as Upgraded[];
    this.notes.push(...upgraded.map(describe));
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP INDEX computers_of_user`);
    await db.query(`ALTER TABLE computers DROP COLUMN access, DROP COLUMN trusted`);
  }
}

function describe({ organization, name, id, access, trusted }: Upgraded): string {
  const use =
    access === 'private'
      ? 'private to the user who registered it, because nobody else has sessions there'
      : 'open to the organization, because others have sessions there';
  const secrets = trusted
    ? 'trusted with secrets, because an owner registered it'
    : 'not trusted with secrets, because no owner registered it';
  return `Computer "${name}" (${id}) of "${organization}" is ${use}; it is ${secrets}.`;
}
