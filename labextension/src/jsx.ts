import React from 'react';

/** What JSX is compiled to: a name of our own becomes one or two letters in a production build, six hundred times. */
export const h = React.createElement;
export const Fragment = React.Fragment;
