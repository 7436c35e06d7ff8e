/*
 * Preloaded with --require: sets the clock BOTCTL_TEST_CLOCK_AHEAD milliseconds ahead, and each SIGUSR2 advances it by
 * another minute. Timers are not affected.
 */
let ahead = Number(process.env.BOTCTL_TEST_CLOCK_AHEAD);
const { now } = Date;

process.on('SIGUSR2', () => {
  ahead += 60_000;
});

globalThis.Date = class extends Date {
  constructor(...values) {
    super(...(values.length > 0 ? values : [now() + ahead]));
  }

  static now() {
    return now() + ahead;
  }
};
