/** The way in: what stands behind the `#` of a link is exchanged for a cookie that no script can read. */

/** Where a token waits while its reader logs in to the hub. */
const WAITING = 'gpucluster-shared';

export type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'login' }
  | { readonly kind: 'refused'; readonly message: string }
  /** The server does not respond. */
  | { readonly kind: 'offline' };

/** Take the token out of the address, where it could be seen, copied and kept; null where there is none. */
export function takeToken(): string | null {
  const token = location.hash.slice(1);
  if (token !== '') {
    history.replaceState(null, '', location.pathname);
    return token;
  }
  const waiting = sessionStorage.getItem(WAITING);
  sessionStorage.removeItem(WAITING);
  return waiting;
}

/** Keep the token for the way to the login and back, in this tab only. */
export function keepToken(token: string): void {
  sessionStorage.setItem(WAITING, token);
}

/** Go in with a token, or look whether one is in already. */
export async function enter(token: string | null): Promise<Access> {
  const init: RequestInit =
    token === null
      ? {}
      : {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ token })
        };
  try {
    const response = await fetch('session', init);
    if (response.ok) {
      return { kind: 'open' };
    }
    const told = (await response.json().catch(() => ({}))) as { code?: string; message?: string };
    return told.code === 'log_in_first'
      ? { kind: 'login' }
      : { kind: 'refused', message: told.message ?? `The server answered ${response.status}.` };
  } catch {
    return { kind: 'offline' };
  }
}
