/** Groups of stones of several production keys of a population that are one, named by the oldest. Others stand alone. */
import type { Tables } from '#kit/views/tables';

export const GROUP_TABLES = `
  CREATE TABLE groups (stone_id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL);
  CREATE INDEX groups_members ON groups (group_id)`;

/** SQL: the stones of the group that the expression names, or it alone. */
export const membersOf = (group: string) =>
  `(SELECT ${group} UNION SELECT stone_id FROM groups WHERE group_id = ${group})`;

export class Groups {
  private readonly find;
  private readonly insert;
  private readonly rename;
  private readonly remove;

  constructor(tables: Tables) {
    this.find = tables.prepare('SELECT group_id FROM groups WHERE stone_id = ?').raw();
    this.insert = tables.prepare('INSERT OR IGNORE INTO groups VALUES (?1, ?1)');
    this.rename = tables.prepare('UPDATE groups SET group_id = ? WHERE group_id = ?');
    this.remove = tables.prepare('DELETE FROM groups WHERE stone_id = ?');
  }

  /** The group that a stone is in. */
  shared(stone: number): number | undefined {
    return (this.find.get(stone) as [number] | undefined)?.[0];
  }

  of(stone: number): number {
    return this.shared(stone) ?? stone;
  }

  /** @returns the older of the two, which names both from then on */
  join(a: number, b: number): number {
    const [into, from] = a < b ? [a, b] : [b, a];
    for (const group of [into, from]) this.insert.run(group);
    this.rename.run(into, from);
    return into;
  }

  /** A stone has turned out to be another one of its key, and is no longer counted by itself. */
  drop(stone: number): void {
    this.remove.run(stone);
  }
}
