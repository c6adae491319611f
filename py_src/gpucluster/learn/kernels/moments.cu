// Sums and products of the columns of a block, relative to a shift: each row is read from the GPU's memory once.
//
// A block of threads takes a tile of rows into shared memory. Each thread owns a square of SIDE by SIDE products, of those
// on and above the diagonal only, and adds up every so many rows of them in registers: in WORK over some hundred rows,
// then in double. No atomic operations: the same rows give the same sums bit by bit.
//
// Given when it is compiled: REAL (of the rows), WORK (float or double), COLUMNS, SIDE, GROUPS, THREADS (at least
// GROUPS times SQUARES) and ROWS.

#define SIDES ((COLUMNS + SIDE - 1) / SIDE)
#define SQUARES (SIDES * (SIDES + 1) / 2)
#define PADDED (SIDES * SIDE)
#define PACKED (16 / (int)sizeof(WORK))
#define STRIDE (PADDED + PACKED)
#define TILES_PER_FLUSH 8
#if COLUMNS % (16 / REAL_BYTES)
#define STEP 1
#else
#define STEP (16 / REAL_BYTES)
#endif

#if REAL_BYTES == 8
#define WIDE double
#else
#define WIDE WORK
#endif

struct __align__(16) Pack {
    WORK value[PACKED];
};
struct __align__(STEP * REAL_BYTES) Given {
    REAL value[STEP];
};

__device__ inline void take(const WORK* from, WORK* values) {
#pragma unroll
    for (int p = 0; p < SIDE / PACKED; ++p) {
        const Pack pack = ((const Pack*)from)[p];
#pragma unroll
        for (int q = 0; q < PACKED; ++q) values[p * PACKED + q] = pack.value[q];
    }
}

// Shared memory, in this order: the tile (ROWS x STRIDE), the rows' weights (ROWS); in the end the squares of all groups.
extern "C" __global__ void __launch_bounds__(THREADS) moments(
    const REAL* __restrict__ X,        // n_rows x COLUMNS
    const REAL* __restrict__ weights,  // n_rows, or null where all weigh 1
    const REAL* __restrict__ shift,    // COLUMNS
    const long long n_rows,
    double* __restrict__ found) {  // blocks of threads x (PADDED sums, then PADDED x PADDED, on and above the diagonal)
    extern __shared__ __align__(16) unsigned char memory[];
    WORK* const tile = (WORK*)memory;
    WORK* const weight_of = tile + ROWS * STRIDE;
    const int thread = threadIdx.x, group = thread / SQUARES;
    int row_of = 0, column_of = thread % SQUARES;
    while (column_of >= SIDES - row_of) column_of -= SIDES - row_of++;
    column_of = (column_of + row_of) * SIDE;
    row_of *= SIDE;
    const bool works = group < GROUPS, diagonal = row_of == column_of;

    for (int i = thread; i < ROWS * STRIDE; i += THREADS) tile[i] = 0;
    WORK product[SIDE][SIDE] = {}, sum[SIDE] = {};
    double exact[SIDE][SIDE] = {}, exact_sum[SIDE] = {};
    int since = 0;
    const long long n_tiles = (n_rows + ROWS - 1) / ROWS;
    for (long long number = blockIdx.x; number < n_tiles; number += gridDim.x) {
        const long long first = number * ROWS;
        const int n_here = (int)(n_rows - first < ROWS ? n_rows - first : ROWS);
        const REAL* const source = X + first * COLUMNS;
        __syncthreads();  // everybody is done with the tile before this one
#pragma unroll 8
        for (int m = thread * STEP; m < ROWS * COLUMNS; m += THREADS * STEP) {
            if (m >= n_here * COLUMNS) continue;
            const int column = m % COLUMNS;
            WORK* const to = tile + m / COLUMNS * STRIDE + column;
            const Given given = *(const Given*)(source + m);
#pragma unroll
            for (int s = 0; s < STEP; ++s) to[s] = (WORK)((WIDE)given.value[s] - (WIDE)shift[column + s]);
        }
        for (int i = thread; weights && i < n_here; i += THREADS) weight_of[i] = (WORK)weights[first + i];
        __syncthreads();
        if (works) {
#pragma unroll 2
            for (int row = group; row < n_here; row += GROUPS) {
                WORK left[SIDE], right[SIDE];
                take(tile + row * STRIDE + row_of, left);
                take(tile + row * STRIDE + column_of, right);
                if (weights) {
#pragma unroll
                    for (int i = 0; i < SIDE; ++i) left[i] *= weight_of[row];
                }
                if (diagonal) {
#pragma unroll
                    for (int i = 0; i < SIDE; ++i) sum[i] += left[i];
                }
#pragma unroll
                for (int i = 0; i < SIDE; ++i)
#pragma unroll
                    for (int j = 0; j < SIDE; ++j) product[i][j] += left[i] * right[j];
            }
        }
        if (++since < TILES_PER_FLUSH && number + gridDim.x < n_tiles) continue;
        since = 0;
#pragma unroll
        for (int i = 0; i < SIDE; ++i) {
            exact_sum[i] += (double)sum[i];
            sum[i] = 0;
#pragma unroll
            for (int j = 0; j < SIDE; ++j) {
                exact[i][j] += (double)product[i][j];
                product[i][j] = 0;
            }
        }
    }

    // The groups' squares, one group after the other.
    double* const all_sums = (double*)memory;
    double* const all = all_sums + PADDED;
    __syncthreads();
    for (int i = thread; i < PADDED * (PADDED + 1); i += THREADS) all_sums[i] = 0;
    for (int turn = 0; turn < GROUPS; ++turn) {
        __syncthreads();
        if (group != turn) continue;
#pragma unroll
        for (int i = 0; i < SIDE; ++i) {
            if (diagonal) all_sums[row_of + i] += exact_sum[i];
#pragma unroll
            for (int j = 0; j < SIDE; ++j) all[(row_of + i) * PADDED + column_of + j] += exact[i][j];
        }
    }
    __syncthreads();
    const long long block = blockIdx.x;
    for (int i = thread; i < PADDED * (PADDED + 1); i += THREADS) found[block * PADDED * (PADDED + 1) + i] = all_sums[i];
}
