/** Milliseconds in which a database that is there answers. */
const patienceMs = 2000;

/** Returns what the database answers, or undefined if it fails or is too late for those who look how the service is. */
export async function answered<T>(asked: Promise<T>): Promise<T | undefined> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    late = setTimeout(() => resolve(undefined), patienceMs);
  });
  return Promise.race([asked.catch(() => undefined), tooLate]).finally(() => clearTimeout(late));
}
