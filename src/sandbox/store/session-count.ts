import type { PostgresPool } from 'kysely';

/** How a process uses its sessions of a database. */
export class SessionCount {
  busy = 0;
  /** Calls that have to wait for one, or for its connection. */
  waiting = 0;

  constructor(
    /** Sessions that there may be. */
    readonly most: number,
  ) {}

  /** Returns a pool whose sessions are counted. */
  of(pool: PostgresPool): PostgresPool {
    return {
      connect: async () => {
        this.waiting += 1;
        const session = await pool.connect().finally(() => {
          this.waiting -= 1;
        });
        this.busy += 1;
        const release = session.release.bind(session);
        session.release = () => {
          this.busy -= 1;
          release();
        };
        return session;
      },
      end: () => pool.end(),
    };
  }
}
