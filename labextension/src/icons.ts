import { LabIcon } from '@jupyterlab/ui-components';

/** An icon in the colour of the theme, from what is drawn on 24 × 24. */
function icon(name: string, path: string): LabIcon {
  return new LabIcon({
    name: `gpucluster:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24"><path class="jp-icon3" fill="#616161" d="${path}"/></svg>`
  });
}

/** A chip with three workers above it. */
export const clusterIcon = icon(
  'cluster',
  'M5 12h14v10H5zm2 2v6h10v-6zm2 2h6v2H9zM3 2h4v4H3zm7 0h4v4h-4zm7 0h4v4h-4zM4 6h2v2h5V6h2v2h5V6h2v4h-7v2h-2v-2H4z'
);

export const lessonsIcon = icon(
  'lessons',
  'M12 3 1 8.5 12 14l9-4.5V16h2V8.5zM5 12.4V17c0 1.7 3.1 3.5 7 3.5s7-1.8 7-3.5v-4.6l-7 3.5z'
);

export const dashboardIcon = icon(
  'dashboard',
  'M3 3h8v10H3zm2 2v6h4V5zM13 3h8v6h-8zm2 2v2h4V5zM13 11h8v10h-8zm2 2v6h4v-6zM3 15h8v6H3zm2 2v2h4v-2z'
);

/** A line between two axes. */
export const chartsIcon = icon(
  'charts',
  'M3 3h2v16h16v2H3zm4 11.6 4.5-5.2 3.5 3.4 5-6.8 1.6 1.2-6.4 8.7-3.6-3.5-3.1 3.6z'
);

/** A stopwatch. */
export const profileIcon = icon(
  'profile',
  'M9 1.5h6v2H9zM12 5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zm0 2a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zm-1 2h2v4.1l2.7 2.7-1.4 1.4L11 13.9zM18.5 4.2l1.4-1.4 2 2-1.4 1.4z'
);

export const recordingIcon = icon(
  'recording',
  'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm-2.5 3 6.5 4-6.5 4z'
);
