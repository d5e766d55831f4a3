/* Directions: the one place that knows that angles turn counter-clockwise while y points down. */
#ifndef ABBE_FILTER_ANGLE_H
#define ABBE_FILTER_ANGLE_H

/* The unit vector at `degrees` in image coordinates: 0 is (1, 0), 90 is (0, −1), exactly. */
void angle_vector(double degrees, double *x, double *y);

#endif
