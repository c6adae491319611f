export * from './bar';
export * from './clusterbars';
export * from './levels';
export * from './units';
