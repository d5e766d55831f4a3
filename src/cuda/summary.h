/* The summary of the CUDA device, in builds with the device and without it. */
#ifndef ABBE_CUDA_SUMMARY_H
#define ABBE_CUDA_SUMMARY_H

#define ABCU_SUMMARY "an NVIDIA GPU through CUDA; cuda:1 or cuda:NAME selects one"

#endif
