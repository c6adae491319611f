import { LabIcon } from '@jupyterlab/ui-components';

/** A chip with three workers above it. */
const CLUSTER = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g class="jp-icon3" fill="#616161">
    <path d="M6 12h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1zm1 2v6h10v-6z"/>
    <path d="M9 15.5h6v3H9zM2 13.5h2v1.5H2zM2 16.2h2v1.5H2zM2 19h2v1.5H2zM20 13.5h2v1.5h-2zM20 16.2h2v1.5h-2zM20 19h2v1.5h-2z"/>
    <circle cx="5" cy="4.5" r="2.3"/>
    <circle cx="12" cy="4.5" r="2.3"/>
    <circle cx="19" cy="4.5" r="2.3"/>
    <path d="M4.3 6h1.4v2.3h12.6V6h1.4v3.7h-7V12h-1.4V9.7h-7z"/>
    <path d="M11.3 6h1.4v3h-1.4z"/>
  </g>
</svg>`;

const LESSONS = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g class="jp-icon3" fill="#616161">
    <path d="M12 3 1 8.5 12 14l9-4.5V16h2V8.500zM5 12.400V17c0 1.700 3.100 3.500 7 3.500s7-1.800 7-3.500v-4.600l-7 3.500z"/>
  </g>
</svg>`;

const LOG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" d="M4 4h16v2H4zm0 4.700h11v2H4zm0 4.700h16v2H4zm0 4.600h11v2H4z"/>
</svg>`;

const DASHBOARD = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" d="M3 3h8v10H3zm2 2v6h4V5zM13 3h8v6h-8zm2 2v2h4V5zM13 11h8v10h-8zm2 2v6h4v-6zM3 15h8v6H3zm2 2v2h4v-2z"/>
</svg>`;

const LAYOUT = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" d="M3 3h8v8H3zm2 2v4h4V5zM13 3h8v8h-8zm2 2v4h4V5zM13 13h8v8h-8zm2 2v4h4v-4zM3 13h8v8H3zm2 2v4h4v-4z"/>
</svg>`;

const ACTIVITY = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" d="M12 3a9 9 0 1 1-9 9h2a7 7 0 1 0 2.050-4.950L9 9H3V3l2.640 2.640A9 9 0 0 1 12 3zm-1 4h2v4.600l3.200 3.200-1.400 1.400L11 12.400z"/>
</svg>`;

/** A line between two axes. */
const CHARTS = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" d="M3 3h2v16h16v2H3zm4 11.600 4.500-5.200 3.500 3.400 5-6.800 1.600 1.200-6.400 8.700-3.600-3.500-3.100 3.600z"/>
</svg>`;

/** A stopwatch. */
const PROFILE = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" d="M9 1.500h6v2H9zM12 5a8.500 8.500 0 1 1 0 17 8.500 8.500 0 0 1 0-17zm0 2a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zm-1 2h2v4.100l2.700 2.700-1.400 1.400L11 13.900zM18.500 4.200l1.400-1.400 2 2-1.400 1.400z"/>
</svg>`;

const RECORDING = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" d="M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 2a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm-2.500 3 6.500 4-6.500 4z"/>
</svg>`;

export const clusterIcon = new LabIcon({ name: 'gpucluster:cluster', svgstr: CLUSTER });
export const lessonsIcon = new LabIcon({ name: 'gpucluster:lessons', svgstr: LESSONS });
export const logIcon = new LabIcon({ name: 'gpucluster:log', svgstr: LOG });
export const dashboardIcon = new LabIcon({ name: 'gpucluster:dashboard', svgstr: DASHBOARD });
export const layoutIcon = new LabIcon({ name: 'gpucluster:layout', svgstr: LAYOUT });
export const activityIcon = new LabIcon({ name: 'gpucluster:activity', svgstr: ACTIVITY });
export const chartsIcon = new LabIcon({ name: 'gpucluster:charts', svgstr: CHARTS });
export const profileIcon = new LabIcon({ name: 'gpucluster:profile', svgstr: PROFILE });
export const recordingIcon = new LabIcon({ name: 'gpucluster:recording', svgstr: RECORDING });
