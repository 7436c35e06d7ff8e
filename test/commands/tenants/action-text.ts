/**
 * Returns the action of a row with its reason, unless that is the usual one: `create`, `create (gone)`, `impossible`.
 */
export function actionText({ action, reason }: { readonly action: string; readonly reason: string }): string {
  if (action === 'none') return reason;
  const isUsual = ['new', 'changed', 'found', 'undeclared'].includes(reason);
  return isUsual ? action : `${action} (${reason})`;
}
