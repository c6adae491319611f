/** What the widgets say. A page that shows widgets has no translations to offer, so it is English everywhere. */
export const WORDS = {
  dashboard: 'Dashboard',
  workers: 'Workers',
  scale: 'Scale',
  stop: 'Stop',
  cancel: 'Cancel',
  page: 'Page',
  openInTab: 'Open in a browser tab',
  open: 'not encrypted: anyone who can reach it can run code as you',
  kernelOver: 'The kernel has stopped; this is the last state.',
  pageStarts: 'Cluster {name} is starting. Its dashboard appears when it is running.',
  pageStopped:
    'Cluster {name} has stopped, and its dashboard with it. Run this cell again for another cluster.',
  pageFailed:
    'Cluster {name} has failed, and its dashboard with it. Run this cell again for another cluster.',
  opening: 'Opening the view …',
  offline: 'No connection; retrying …',
  forMembers: 'This link is for users logged in to this hub.',
  logIn: 'Log in',
  readOnly: 'Read-only view',
  ends: 'ends in {time}',
  lastState: 'Last known state of the cluster:',
  showPages: 'Show Dask’s dashboard',
  hidePages: 'Hide Dask’s dashboard',
  pageGoesOn: 'The kernel has stopped; this page works while the cluster runs.'
} as const;
