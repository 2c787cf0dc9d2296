#!/bin/sh
# Makes the videos of this folder with the ffmpeg command (written with 5.1.9). Each frame shows its number as the
# brightness of its upper left quarter: luma 30 + 4 * number; the rest moves, so that a wrong start shows.
set -eu
cd "$(dirname "$0")"
run() { ffmpeg -hide_banner -v error -y -threads 1 "$@"; }
pattern="lum='if(lt(X,32)*lt(Y,24),30+4*N,mod(X*3+Y*5+N*7,200)+20)':cb='110+mod(X+N,40)':cr=128"
source() { printf 'nullsrc=s=64x48:r=25:d=%s,format=yuv420p,geq=%s' "$1" "$pattern"; }
# encode NAME SECONDS OPTIONS...
encode() {
  name=$1 seconds=$2
  shift 2
  run -f lavfi -i "$(source "$seconds")" -fflags +bitexact -flags:v +bitexact "$@" "$name"
}
copy() {
  from=$1 to=$2
  shift 2
  run -i "$from" -c copy -fflags +bitexact "$@" "$to"
}
x264="-c:v libx264 -preset veryfast -crf 14"
x265="-c:v libx265 -preset ultrafast -tag:v hvc1 -x265-params log-level=none:pools=1:crf=16:scenecut=0:bframes=3:min-keyint=8:keyint=8"

encode bframes.mp4 1.6 $x264 -g 10 -bf 3 -b_strategy 0
encode open_gop264.mp4 1.2 $x264 -x264-params open-gop=1:keyint=8:min-keyint=8:bframes=3:b-adapt=0:scenecut=0
encode open_gop265.mp4 1.2 $x265:open-gop=1
run -ss 0.5 -i open_gop265.mp4 -c copy -fflags +bitexact cra_start.mp4
run -ss 0.5 -i bframes.mp4 -c copy -fflags +bitexact edit_list.mp4
encode intra_refresh.mp4 1.2 $x264 -x264-params intra-refresh=1:keyint=8:bframes=0:scenecut=0
copy bframes.mp4 fragmented.mp4 -movflags frag_keyframe+empty_moov+default_base_moof
copy bframes.mp4 bframes.ts -muxdelay 0 -muxpreload 0
copy bframes.mp4 bframes.mkv
copy bframes.mp4 rotated.mp4 -metadata:s:v rotate=90
encode equal_times.mp4 0.8 $x264 -g 5 -bf 0 -video_track_timescale 12800
run -i equal_times.mp4 -c copy -fflags +bitexact -bsf:v "setts=dts=N*512:pts=(floor(N/2)*2+2)*512" equal.mp4
mv equal.mp4 equal_times.mp4
encode alt_ref.webm 0.8 -c:v libvpx-vp9 -deadline good -cpu-used 8 -crf 24 -b:v 0 -auto-alt-ref 1 -lag-in-frames 12 -g 8
encode av1.mp4 0.8 -vf scale=128:96:flags=neighbor -c:v libsvtav1 -preset 10 -crf 28 -g 8 2>/dev/null
encode bframes.avi 0.8 -c:v mpeg4 -q:v 4 -bf 2 -g 8
encode packed.avi 0.8 -c:v libxvid -q:v 4 -bf 2 -g 8
encode cropped.mp4 0.4 -vf crop=64:46:0:0 $x264 -g 5
run -f lavfi -i "nullsrc=s=32x24:r=25:d=0.2,format=gray16le,geq=lum='X*2000+N'" -fflags +bitexact -c:v ffv1 -level 3 depth.mkv
run -f lavfi -i "nullsrc=s=32x24:r=25:d=0.2,format=gbrp,geq=r='X*8':g='Y*10':b='N*20'" -fflags +bitexact -c:v ffv1 -level 3 rgb.mkv
run -f lavfi -i "sine=d=0.2" -fflags +bitexact -c:a aac audio_only.mp4
ls -l | awk '{ total += $5 } END { print total, "bytes" }'
